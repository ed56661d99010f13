package routing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// ParseDocument reads what Encode wrote, and validates it. It is strict: unknown, repeated or differently spelled fields,
// text that is not valid UTF-8 or not canonically escaped, trailing data and more than MaxDocumentBytes are errors.
func ParseDocument(data []byte) (*Document, error) {
	if len(data) > MaxDocumentBytes {
		return nil, fmt.Errorf("parse document: %d bytes, want at most %d", len(data), MaxDocumentBytes)
	}
	if err := checkJSON(data); err != nil {
		return nil, fmt.Errorf("parse document: %w", err)
	}
	var w documentWire
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return nil, fmt.Errorf("parse document: %w", err)
	}
	d, err := w.document()
	if err != nil {
		return nil, fmt.Errorf("parse document: %w", err)
	}
	if err := d.Validate(); err != nil {
		return nil, fmt.Errorf("parse document: %w", err)
	}
	return d, nil
}

// checkJSON refuses what encoding/json would let pass in silence: repeated names, names in another case, invalid UTF-8 and
// unpaired surrogates (both would become U+FFFD and merge keys), a second value.
func checkJSON(data []byte) error {
	if !bytes.Equal(bytes.ToValidUTF8(data, nil), data) {
		return errors.New("not valid UTF-8")
	}
	replacement := bytes.Contains(data, []byte("\uFFFD")) || bytes.Contains(bytes.ToLower(data), []byte(`\ufffd`))
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := walkValue(dec, replacement); err != nil {
		return err
	}
	if rest := bytes.Trim(data[dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return fmt.Errorf("%d bytes after the document", len(rest))
	}
	return nil
}

// walkValue reads one value. json.Decoder refuses nesting beyond 10,000 levels only when it decodes, so depth is bounded by
// the size of the document.
func walkValue(dec *json.Decoder, replacement bool) error {
	var open []map[string]bool // the names seen in each open object, nil for an array
	wantName := false
	for {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		text, isText := token.(string)
		if isText && !replacement && strings.Contains(text, "\uFFFD") {
			return errors.New("unpaired surrogate in a text")
		}
		if isText && wantName {
			if err := checkName(open[len(open)-1], text); err != nil {
				return err
			}
			wantName = false
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, map[string]bool{})
		case json.Delim('['):
			open = append(open, nil)
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return nil
		}
		wantName = open[len(open)-1] != nil
	}
}

func checkName(seen map[string]bool, name string) error {
	if seen[name] {
		return fmt.Errorf("field %q is given twice", name)
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && c != '_' {
			return fmt.Errorf("field %q is unknown, names are lower case letters and _", name)
		}
	}
	seen[name] = true
	return nil
}

// unescaper turns wire texts into bytes and keeps the first error.
type unescaper struct{ err error }

func (u *unescaper) text(field, s string) string {
	out, err := Unescape(s)
	if err != nil && u.err == nil {
		u.err = fmt.Errorf("%s: %w", field, err)
	}
	return out
}

func (w *documentWire) document() (*Document, error) {
	var u unescaper
	d := &Document{
		Schema: w.Schema, Fleet: u.text("fleet", w.Fleet), Epoch: w.Epoch, Version: w.Version,
		Tenure: u.text("tenure", w.Tenure), Stop: w.Stop, Placement: w.Placement.placement(&u),
	}
	for _, s := range w.Shards {
		d.Shards = append(d.Shards, Shard{u.text("shards.name", s.Name), s.Role, s.Capacity, s.ReadCapacity, s.WriteCapacity})
	}
	for _, m := range w.Moves {
		d.Moves = append(d.Moves, Move(m))
	}
	for _, s := range w.Salts {
		d.Salts = append(d.Salts, Salt{
			u.text("salts.tenant", s.Tenant), u.text("salts.key", s.Key), s.Suffixes, s.Read, s.Write, s.Tombstones,
		})
	}
	for _, t := range w.Tenants {
		d.Tenants = append(d.Tenants, TenantPlacement{u.text("tenants.tenant", t.Tenant), t.Shards})
	}
	for _, q := range w.Quotas {
		d.Quotas = append(d.Quotas, Quota{u.text("quotas.tenant", q.Tenant), q.Rate})
	}
	for _, c := range w.Cached {
		if c.StalenessMS > math.MaxInt64/int64(time.Millisecond) || c.StalenessMS < 0 {
			return nil, fmt.Errorf("cached.staleness_ms: %d is out of range", c.StalenessMS)
		}
		d.Cached = append(d.Cached, CachedKey{
			u.text("cached.tenant", c.Tenant), u.text("cached.key", c.Key), time.Duration(c.StalenessMS) * time.Millisecond,
		})
	}
	for _, text := range w.Fenced {
		e, err := ParseEntry(text)
		if err != nil {
			return nil, fmt.Errorf("fenced: %w", err)
		}
		d.Fenced = append(d.Fenced, e)
	}
	for _, is := range w.Doubled {
		e, err := ParseEntry(is.Entry)
		if err != nil {
			return nil, fmt.Errorf("doubled: %w", err)
		}
		d.Doubled = append(d.Doubled, Double{e, u.text("doubled.value", is.Value), is.Since, is.Both})
	}
	d.Normalize()
	return d, u.err
}

func (w *placementWire) placement(u *unescaper) Placement {
	p := Placement{
		Bytes: u.text("placement.bytes", w.Bytes), Function: w.Function, Map: w.Map, Shards: w.Shards, VShards: w.VShards,
		VirtualNodes: w.VirtualNodes, Separator: u.text("placement.separator", w.Separator), TenantKeys: w.TenantKeys,
	}
	for _, b := range w.Bounds {
		p.Bounds = append(p.Bounds, []byte(u.text("placement.bounds", b)))
	}
	for _, o := range w.Owners {
		p.Owners = append(p.Owners, OwnerRun(o))
	}
	return p
}
