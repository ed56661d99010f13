package dynamo

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// The names of the key attributes that every table has.
const (
	partitionName = "pk"
	sortName      = "sk"
)

const (
	mostItem      = 400 << 10 // bytes
	mostPartition = 2048      // bytes of a partition key
	mostSort      = 1024      // bytes of a sort key
)

// table is keyed by partition key and sort key.
type table struct {
	created map[string]any // what DescribeTable says
	usable  bool           // its keys are pk and sk; items of others are refused
	items   map[string]map[string]*history
	backups bool
}

// history is what an item was, the newest last.
type history struct {
	at    []time.Time
	items []item // nil = there was none
}

// keptVersions bounds a history: readers that lag more see the oldest.
const keptVersions = 8

func (h *history) set(now time.Time, it item) {
	h.at, h.items = append(h.at, now), append(h.items, it)
	if n := len(h.at) - keptVersions; n > 0 {
		h.at, h.items = h.at[n:], h.items[n:]
	}
}

// see is the item as it stood at a time.
func (h *history) see(at time.Time) item {
	if h == nil {
		return nil
	}
	for i, from := range slices.Backward(h.at) {
		if !from.After(at) {
			return h.items[i]
		}
	}
	return nil
}

// view is what a reader sees now.
func (s *Server) view(consistent bool) time.Time {
	if consistent {
		return s.now()
	}
	return s.now().Add(-s.lag)
}

// sorted lists the items of a partition key by their sort key.
func (t *table) sorted(partition string, at time.Time) []item {
	var out []item
	for _, key := range slices.Sorted(maps.Keys(t.items[partition])) {
		if it := t.items[partition][key].see(at); it != nil {
			out = append(out, it)
		}
	}
	return out
}

func (t *table) put(now time.Time, k key, it item) {
	if t.items[k.partition] == nil {
		t.items[k.partition] = map[string]*history{}
	}
	h := t.items[k.partition][k.sort]
	if h == nil {
		h = &history{}
		t.items[k.partition][k.sort] = h
	}
	h.set(now, it)
}

// key names an item.
type key struct{ partition, sort string }

func (t *table) get(k key, at time.Time) item { return t.items[k.partition][k.sort].see(at) }

// keyOf reads the key of an item, or one that is nothing else.
func keyOf(it item, alone bool) (key, error) {
	for name, most := range map[string]int{partitionName: mostPartition, sortName: mostSort} {
		v, ok := it[name]
		switch {
		case !ok && !alone:
			return key{}, invalid("one or more parameter values were invalid: missing the key " + name + " in the item")
		case !ok || v.kind != "S" || alone && len(it) != 2:
			return key{}, invalid("the provided key element does not match the schema")
		case v.text == "" || len(v.text) > most:
			return key{}, invalid("one or more parameter values are not valid: the size of the key " + name)
		}
	}
	return key{it[partitionName].text, it[sortName].text}, nil
}

func (s *Server) table(name string) (*table, error) {
	if t := s.tables[name]; t != nil {
		return t, nil
	}
	return nil, &failure{400, "ResourceNotFoundException", "requested resource not found"}
}

// itemsOf is the table of a call about items.
func (s *Server) itemsOf(name string) (*table, error) {
	t, err := s.table(name)
	if err == nil && !t.usable {
		err = refuse("items of a table whose keys are not pk and sk")
	}
	return t, err
}

// Describe makes DescribeTable say something else of a table.
func (s *Server) Describe(name, member string, says any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables[name].created[member] = says
}

// Size is the size of an item as it stands, in bytes; 0 = there is none.
func (s *Server) Size(name, partition, sort string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tables[name]; t != nil {
		return t.get(key{partition, sort}, s.now()).size()
	}
	return 0
}

// Write stores an item as it is, for what others than firebreak may have written; it is JSON as of a PutItem.
func (s *Server) Write(name, it string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var into item
	if err := json.Unmarshal([]byte(it), &into); err != nil {
		return err
	}
	_, err := s.putItem(&putInput{TableName: name, Item: into})
	return err
}

// Backups says whether point-in-time recovery of a table is on.
func (s *Server) Backups(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tables[name] != nil && s.tables[name].backups
}

type element struct{ AttributeName, KeyType string }

type createInput struct {
	TableName            string
	AttributeDefinitions []struct{ AttributeName, AttributeType string }
	KeySchema            []element
	BillingMode          string
}

func (s *Server) createTable(in *createInput) (any, error) {
	if in.BillingMode != "PAY_PER_REQUEST" || len(in.KeySchema) != 2 || len(in.AttributeDefinitions) != 2 {
		return nil, refuse("such a table")
	}
	for _, d := range in.AttributeDefinitions {
		if d.AttributeType != "S" {
			return nil, refuse("keys of type " + d.AttributeType)
		}
	}
	if s.tables[in.TableName] != nil {
		return nil, &failure{400, "ResourceInUseException", "table already exists: " + in.TableName}
	}
	usable := in.KeySchema[0] == element{partitionName, "HASH"} && in.KeySchema[1] == element{sortName, "RANGE"}
	s.tables[in.TableName] = &table{items: map[string]map[string]*history{}, usable: usable, created: map[string]any{
		"TableName": in.TableName, "KeySchema": in.KeySchema, "AttributeDefinitions": in.AttributeDefinitions, "TableStatus": "ACTIVE",
		"BillingModeSummary": map[string]string{"BillingMode": in.BillingMode},
	}}
	return map[string]any{"TableDescription": maps.Clone(s.tables[in.TableName].created)}, nil
}

type tableInput struct{ TableName string }

func (s *Server) describeTable(in *tableInput) (any, error) {
	t, err := s.table(in.TableName)
	if err != nil {
		return nil, err
	}
	return map[string]any{"Table": maps.Clone(t.created)}, nil
}

type backupsInput struct {
	TableName                        string
	PointInTimeRecoverySpecification struct{ PointInTimeRecoveryEnabled bool }
}

func (s *Server) updateBackups(in *backupsInput) (any, error) {
	t, err := s.table(in.TableName)
	if err != nil {
		return nil, err
	}
	t.backups = in.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled
	return map[string]any{"ContinuousBackupsDescription": map[string]string{"ContinuousBackupsStatus": "ENABLED"}}, nil
}
