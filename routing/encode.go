package routing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// The document on the wire: one JSON object, fields in this order. Names, tenants, keys and other bytes are escaped as by
// Escape; numbers are JSON numbers, epoch and version up to 2^64 - 1.
type (
	documentWire struct {
		Schema    int           `json:"schema"`
		Fleet     string        `json:"fleet"`
		Epoch     uint64        `json:"epoch"`
		Version   uint64        `json:"version"`
		Tenure    string        `json:"tenure,omitempty"`
		Stop      bool          `json:"stop,omitempty"`
		Placement placementWire `json:"placement"`
		Shards    []shardWire   `json:"shards"`
		Moves     []moveWire    `json:"moves,omitempty"`
		Salts     []saltWire    `json:"salts,omitempty"`
		Tenants   []tenantWire  `json:"tenants,omitempty"`
		Quotas    []quotaWire   `json:"quotas,omitempty"`
		Cached    []cachedWire  `json:"cached,omitempty"`
		Fenced    []string      `json:"fenced,omitempty"`
		Doubled   []doubleWire  `json:"doubled,omitempty"`
	}
	placementWire struct {
		Bytes        string    `json:"bytes"`
		Function     Function  `json:"function"`
		Map          OwnerMap  `json:"map"`
		Shards       int       `json:"shards,omitempty"`
		VShards      int       `json:"vshards,omitempty"`
		Bounds       []string  `json:"bounds,omitempty"`
		VirtualNodes int       `json:"virtual_nodes,omitempty"`
		Owners       []runWire `json:"owners,omitempty"`
		Separator    string    `json:"separator"`
		TenantKeys   bool      `json:"tenant_keys,omitempty"`
	}
	runWire struct {
		First int     `json:"first"`
		Last  int     `json:"last"`
		Shard ShardID `json:"shard"`
	}
	shardWire struct {
		Name          string  `json:"name"`
		Role          Role    `json:"role"`
		Capacity      float64 `json:"capacity,omitempty"`
		ReadCapacity  float64 `json:"read_capacity,omitempty"`
		WriteCapacity float64 `json:"write_capacity,omitempty"`
	}
	moveWire struct {
		VShard VShard  `json:"vshard"`
		To     ShardID `json:"to"`
	}
	saltWire struct {
		Tenant     string   `json:"tenant,omitempty"`
		Key        string   `json:"key"`
		Suffixes   []uint32 `json:"suffixes"`
		Read       int      `json:"read"`
		Write      int      `json:"write"`
		Tombstones []uint32 `json:"tombstones,omitempty"`
	}
	tenantWire struct {
		Tenant string    `json:"tenant"`
		Shards []ShardID `json:"shards"`
	}
	quotaWire struct {
		Tenant string  `json:"tenant"`
		Rate   float64 `json:"rate"`
	}
	cachedWire struct {
		Tenant      string `json:"tenant,omitempty"`
		Key         string `json:"key"`
		StalenessMS int64  `json:"staleness_ms"`
	}
	doubleWire struct {
		Entry string `json:"entry"`
		Value string `json:"value,omitempty"`
		Since uint64 `json:"since,omitempty"`
		Both  bool   `json:"both,omitempty"`
	}
)

// Encode returns the canonical bytes of a document: the same for any order of its exceptions. It fails only on what
// Validate refuses. For a valid d, ParseDocument gives d back, normalized.
func (d *Document) Encode() ([]byte, error) {
	c := d.Clone()
	c.Normalize()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c.wire()); err != nil {
		return nil, fmt.Errorf("encode document: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// checkSize refuses a document that is too large to encode. It encodes only where a bound of its size leaves that open.
func (d *Document) checkSize() error {
	if d.sizeBound() <= MaxDocumentBytes {
		return nil
	}
	encoded, err := d.Encode()
	if err != nil {
		return err
	}
	if len(encoded) > MaxDocumentBytes {
		return fmt.Errorf("document: %d bytes encoded, want at most %d", len(encoded), MaxDocumentBytes)
	}
	return nil
}

// sizeBound is never below the encoded size: a number takes at most 25 bytes, the fields of the document and its placement
// together at most 1,024 beside their texts.
func (d *Document) sizeBound() int {
	const number, run, move, entry = 25, 64, 40, 96
	size := 1024 + textBound(d.Fleet) + textBound(d.Tenure) + textBound(d.Placement.Bytes) + textBound(d.Placement.Separator)
	for _, b := range d.Placement.Bounds {
		size += 6*len(b) + 3
	}
	size += len(d.Placement.Owners)*run + len(d.Moves)*move
	for i := range d.Shards {
		s := &d.Shards[i]
		size += textBound(s.Name) + 40
		if s.Capacity != 0 || s.ReadCapacity != 0 || s.WriteCapacity != 0 {
			size += 48 + 3*number
		}
	}
	for i := range d.Salts {
		s := &d.Salts[i]
		size += textBound(s.Tenant) + textBound(s.Key) + entry + 2*number + 11*(len(s.Suffixes)+len(s.Tombstones))
	}
	for _, t := range d.Tenants {
		size += textBound(t.Tenant) + entry + 11*len(t.Shards)
	}
	for _, q := range d.Quotas {
		size += textBound(q.Tenant) + entry
	}
	for _, c := range d.Cached {
		size += textBound(c.Tenant) + textBound(c.Key) + entry
	}
	for _, e := range d.Fenced {
		size += 6*len(e.Name) + entry // a slash is escaped too
	}
	for i := range d.Doubled {
		size += 6*len(d.Doubled[i].Entry.Name) + textBound(d.Doubled[i].Value) + entry + number
	}
	return size
}

// textBound is never below the size of s in JSON without its quotes: a byte that has to be escaped takes at most 6.
func textBound(s string) int {
	size := len(s)
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || c == '"' || c == '\\' {
			size += 5
		}
	}
	return size
}

func (d *Document) wire() *documentWire {
	w := &documentWire{
		Schema: d.Schema, Fleet: Escape(d.Fleet), Epoch: d.Epoch, Version: d.Version, Tenure: Escape(d.Tenure), Stop: d.Stop,
		Placement: d.Placement.wire(), Shards: make([]shardWire, 0, len(d.Shards)),
	}
	for _, s := range d.Shards {
		w.Shards = append(w.Shards, shardWire{Escape(s.Name), s.Role, s.Capacity, s.ReadCapacity, s.WriteCapacity})
	}
	for _, m := range d.Moves {
		w.Moves = append(w.Moves, moveWire(m))
	}
	for _, s := range d.Salts {
		w.Salts = append(w.Salts, saltWire{Escape(s.Tenant), Escape(s.Key), s.Suffixes, s.Read, s.Write, s.Tombstones})
	}
	for _, t := range d.Tenants {
		w.Tenants = append(w.Tenants, tenantWire{Escape(t.Tenant), t.Shards})
	}
	for _, q := range d.Quotas {
		w.Quotas = append(w.Quotas, quotaWire{Escape(q.Tenant), q.Rate})
	}
	for _, c := range d.Cached {
		w.Cached = append(w.Cached, cachedWire{Escape(c.Tenant), Escape(c.Key), int64(c.Staleness / time.Millisecond)})
	}
	for _, e := range d.Fenced {
		w.Fenced = append(w.Fenced, e.String())
	}
	for _, is := range d.Doubled {
		w.Doubled = append(w.Doubled, doubleWire{is.Entry.String(), Escape(is.Value), is.Since, is.Both})
	}
	return w
}

func (p Placement) wire() placementWire {
	w := placementWire{
		Bytes: Escape(p.Bytes), Function: p.Function, Map: p.Map, Shards: p.Shards, VShards: p.VShards,
		VirtualNodes: p.VirtualNodes, Separator: Escape(p.Separator), TenantKeys: p.TenantKeys,
	}
	for _, b := range p.Bounds {
		w.Bounds = append(w.Bounds, Escape(string(b)))
	}
	for _, o := range p.Owners {
		w.Owners = append(w.Owners, runWire(o))
	}
	return w
}
