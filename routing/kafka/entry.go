package kafka

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"firebreak/routing"
	"firebreak/routing/control"
)

// entry is one value of the state topic; the record's key is the fleet's name. Exactly one of the members after version is there.
type entry struct {
	Version  int             `json:"v"`
	Write    *write          `json:"write,omitempty"`
	Request  json.RawMessage `json:"request,omitempty"` // control.Request
	Drop     *drop           `json:"drop,omitempty"`
	Snapshot *snapshot       `json:"snapshot,omitempty"`
	Clients  *int            `json:"clients,omitempty"` // how many live
	// Cut names, of no fleet's key, the snapshots behind which the log may be cut: the offset of each by its fleet's escaped name.
	Cut map[string]int64 `json:"cut,omitempty"`
}

// write replaces the state that stands at Was.
type write struct {
	ID    string          `json:"id"` // random, so that who sent it knows it from another's that says the same
	Was   at              `json:"was"`
	State json.RawMessage `json:"state"` // control.State
}

// drop takes a request away, because it was answered.
type drop struct {
	ID string `json:"id"` // escaped
}

// snapshot repeats a state and the open requests, so that what is before it can be deleted.
type snapshot struct {
	State    json.RawMessage   `json:"state"`
	Requests []json.RawMessage `json:"requests,omitempty"`
	Clients  int               `json:"clients,omitempty"`
}

type at struct {
	Epoch   uint64 `json:"epoch"`
	Tenure  string `json:"tenure,omitempty"` // escaped
	Version uint64 `json:"version"`
}

// farewell is a value of the clients topic beside confirmations: a client is listed no more, unless it has confirmed again meanwhile.
type farewell struct {
	Client string `json:"forget"` // escaped
	Beat   uint64 `json:"beat"`   // of the confirmation that was seen last
}

// entryVersion is that of the form above.
const entryVersion = 1

func atWire(a control.At) at { return at{a.Epoch, routing.Escape(a.Tenure), a.Version} }

func (a at) at() (control.At, error) {
	tenure, err := routing.Unescape(a.Tenure)
	return control.At{Epoch: a.Epoch, Tenure: tenure, Version: a.Version}, err
}

func (e *entry) encode() ([]byte, error) {
	e.Version = entryVersion
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	if b := bytes.TrimSuffix(out.Bytes(), []byte("\n")); len(b) <= maxEntry {
		return b, nil
	}
	return nil, fmt.Errorf("an entry of %d bytes, want at most %d", out.Len(), maxEntry)
}

// maxEntry is what the topics take.
const maxEntry = 1_000_000

func parseEntry(b []byte) (*entry, error) {
	var e entry
	if err := json.Unmarshal(b, &e); err != nil {
		return nil, err
	}
	if e.Version != entryVersion {
		return nil, fmt.Errorf("version %d, want %d", e.Version, entryVersion)
	}
	if e.Write == nil && e.Request == nil && e.Drop == nil && e.Snapshot == nil && e.Clients == nil && e.Cut == nil {
		return nil, errors.New("of no known kind")
	}
	return &e, nil
}
