package mover

import (
	"bytes"
	"encoding/json"
	"fmt"

	"firebreak/actuator/operation"
	"firebreak/routing"
)

// Schema is the version of a task on the wire.
const Schema = 1

// The form of a task on the wire. Names, tenants and keys are escaped as by routing.Escape.
type (
	taskWire struct {
		Schema    int             `json:"schema"`
		Fleet     string          `json:"fleet"`
		Operation uint64          `json:"operation"`
		Phase     string          `json:"phase"`
		Version   uint64          `json:"version"`
		Do        string          `json:"do"`
		Carries   []carryWire     `json:"carries,omitempty"`
		Salt      *saltWire       `json:"salt,omitempty"`
		Shards    []string        `json:"shards,omitempty"`
		Document  json.RawMessage `json:"document"`
	}
	carryWire struct {
		Entry string   `json:"entry"` // vshard/17, tenant/acme
		From  []string `json:"from"`
		To    []string `json:"to"`
	}
	saltWire struct {
		Tenant string      `json:"tenant,omitempty"`
		Key    string      `json:"key"` // the bare piece, which stays
		Fold   []pieceWire `json:"fold"`
	}
	pieceWire struct {
		Suffix uint32 `json:"suffix"`
		Key    string `json:"key"`
	}
)

// Encode writes a task as one JSON object.
func Encode(t *operation.Task) ([]byte, error) {
	doc, err := t.Document.Encode()
	if err != nil {
		return nil, err
	}
	w := taskWire{
		Schema: Schema, Fleet: routing.Escape(t.Fleet), Operation: t.Operation, Phase: t.Phase, Version: t.Version, Do: t.Ask.String(),
		Shards: escaped(t.Shards), Document: doc,
	}
	for _, c := range t.Carries {
		w.Carries = append(w.Carries, carryWire{c.Entry.String(), escaped(c.From), escaped(c.To)})
	}
	if t.Ask == operation.AskFold {
		table, err := routing.NewTable(t.Document)
		if err != nil {
			return nil, err
		}
		w.Salt = &saltWire{Tenant: routing.Escape(t.Salt.Tenant), Key: routing.Escape(t.Salt.Key), Fold: []pieceWire{}}
		for _, suffix := range t.Salt.Tombstones {
			physical := table.AppendPieceKey(nil, []byte(t.Salt.Key), suffix)
			w.Salt.Fold = append(w.Salt.Fold, pieceWire{suffix, routing.Escape(string(physical))})
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&w); err != nil {
		return nil, fmt.Errorf("task: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func escaped(names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, routing.Escape(name))
	}
	return out
}
