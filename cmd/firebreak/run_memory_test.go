package main

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/internal/history"
	"firebreak/internal/line"
	"firebreak/policy"
)

func watching(o history.Options) *watcher {
	return newWatcher(actuator.Scribe{}, history.NewKeeper(o), nil, newOwing(time.Hour), zap.NewNop())
}

// TestMemoryTravels: what was told and the history go from one watcher to another, be the names any bytes.
func TestMemoryTravels(t *testing.T) {
	r := newHistoryRig(t, "off")
	r.goOn(6*45, 12)
	r.goOn(60, 600)
	a := r.all[0]
	a.told["caf\xff"] = a.told["orders"]
	memory, err := a.Save()
	if err != nil {
		t.Fatal(err)
	}
	b := watching(history.Options{})
	if err := b.Load(memory); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a.told, b.told); diff != "" || len(a.told) != 2 {
		t.Errorf("told (-saved +loaded):\n%s", diff)
	}
	last := a.judged[len(a.judged)-1]
	want := a.Histories(last.Snapshot, last.Before)
	if diff := cmp.Diff(want, b.Histories(last.Snapshot, last.Before)); diff != "" || len(want) != rigTenants {
		t.Errorf("%d histories (-saved +loaded):\n%s", len(want), diff)
	}
	at := slices.IndexFunc(want, func(h policy.TenantHistory) bool { return h.Tenant == rigWhale })
	if at < 0 || want[at].Peak != 12 {
		t.Errorf("the whale's history %+v, want 12/s: not what it sends since it is hot", want)
	}
}

// TestMemoryThatCannotBeRead is an error, and keeps what can be.
func TestMemoryThatCannotBeRead(t *testing.T) {
	a := watching(history.Options{})
	a.told["orders"] = actuator.Told{}
	full, err := a.Save()
	if err != nil {
		t.Fatal(err)
	}
	told, err := json.Marshal([]toldOf{{line.Name("orders"), actuator.Told{}}})
	if err != nil {
		t.Fatal(err)
	}
	half := bytes.NewBuffer([]byte{watcherVersion})
	if err := gob.NewEncoder(half).Encode(&watcherMemory{Told: told, History: []byte("no history")}); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		memory []byte
		told   int
		ok     bool
	}{
		"nothing":            {nil, 0, true},
		"whole":              {full, 1, true},
		"newer":              {append([]byte{watcherVersion + 1}, full[1:]...), 0, false},
		"damaged":            {full[:len(full)/2], 0, false},
		"text":               {[]byte("[{}]"), 0, false},
		"its history broken": {half.Bytes(), 1, false},
	} {
		w := watching(history.Options{})
		if err := w.Load(tt.memory); (err == nil) != tt.ok || len(w.told) != tt.told {
			t.Errorf("%s: %v, told %v", name, err, w.told)
		}
	}
}
