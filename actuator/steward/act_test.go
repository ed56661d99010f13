package steward

import (
	"context"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/routing"
	"firebreak/routing/control"
)

// idle is a worker that carries data, and never has done what it was asked for.
type idle struct{}

func (idle) Can(operation.Ask) bool   { return true }
func (idle) Moving() operation.Moving { return operation.MovingCarried }
func (idle) For(*control.State) func(uint64, string) operation.Result {
	return func(uint64, string) operation.Result { return operation.Result{} }
}
func (idle) Start(context.Context, []operation.Task) {}
func (idle) Close()                                  {}

// TestFenceWaitsForNobody: while nobody serves what an operation moves, neither a journal nor requests that are away keep who decides from
// lifting the fence, also where another one began it.
func TestFenceWaitsForNobody(t *testing.T) {
	for name, fail := range map[string]func(r *stewardRig, fails bool){
		"journal":  func(r *stewardRig, fails bool) { r.away = fails },
		"requests": func(r *stewardRig, fails bool) { r.store.requests = fails },
	} {
		t.Run(name, func(t *testing.T) {
			r := newStewardRig(t)
			r.cfg.Mover = idle{}
			now := time.Now()
			r.cfg.Clock = func() time.Time { return now }
			if err := r.round(t.Context()); err != nil {
				t.Fatal(err)
			}
			n, e := r.state.Next(), routing.VShardEntry(0)
			n.Operated = 1
			n.Document.Fence(e)
			n.Operations = append(n.Operations, control.Operation{
				Number: 1, Machine: operation.MachineCarry, Phase: operation.Fence, Since: now, Began: now, Version: n.Document.Version, Plan: "p", Fix: "split", Shard: "shard-0",
				Do: []control.Edit{{Entry: e, Value: "shard-1"}}, Was: []control.Edit{{Entry: e}},
			})
			note := control.Note{ID: "op-1-x", At: now, Do: control.DoAct, By: "ann", Operation: 1, Plan: "p", Act: control.Act{Fix: "split", Machine: "carry", Phase: "fence"}}
			if err := n.Tell(note); err != nil {
				t.Fatal(err)
			}
			if _, err := r.store.Write(t.Context(), r.state.At(), n); err != nil {
				t.Fatal(err)
			}
			fail(r, true)
			r.state = nil
			for range 2 {
				now = now.Add(15 * time.Second)
				_ = r.again(t.Context()) // it fails, and that is not the question
			}
			s, err := r.store.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Document.Fenced) > 0 || s.Operation(1).Phase != operation.Drop {
				t.Errorf("after 30 s it stands in %s, fenced are %v", s.Operation(1).Phase, s.Document.Fenced)
			}
			fail(r, false)
			if err := r.again(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(r.told) < 2 {
				t.Errorf("the journal was told of %d notes", len(r.told))
			}
		})
	}
}
