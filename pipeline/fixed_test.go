package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/sketch"
)

// TestMemoryIsFixed: a Tick and a Ledger that have seen 10,000 ticks of hostile traffic, with topics that are made anew and
// entries that are refused, are as large as after 1,000.
func TestMemoryIsFixed(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 ticks")
	}
	fleet := shortFleet(t, "main/requests")
	ledger, err := NewLedger([]LiveFleet{fleet})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	offset, number := int64(0), uint64(0)
	accepted, rejected := 0, 0
	apply := func(at time.Time, b []byte) {
		out, err := ledger.Apply(offset, at, b)
		switch {
		case err != nil:
			t.Fatal(err)
		case out.Accepted:
			accepted++
		case out.Delta:
			rejected++
		}
		offset++
	}
	apply(second(0), Genesis(7))
	tick, err := NewTick(Instance{1}, []LiveFleet{fleet}, 7, nil)
	if err != nil {
		t.Fatal(err)
	}
	life := func(i int) Topic { return Topic{TopicID{1, byte(i >> 8), byte(i)}, "main/requests", 2} }
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	early := uint64(0)
	topic := life(0)
	p := tick.Assign(topic, 0, 0, nil)
	for i := range 10_000 {
		now := second(float64(2 * i))
		if i%100 == 99 { // made anew
			tick.Release(p.Partition)
			topic = life(i / 100)
			p = tick.Assign(topic, 0, 0, nil)
		}
		for range 5 {
			number++
			at := now.Add(time.Duration(rng.IntN(200_000)-100_000) * time.Millisecond)
			value := fmt.Appendf(nil, `{"ts_ms":%d,"key":"%d-%s","tenant":"t%d","op":"GET"}`, at.UnixMilli(), number, bytes.Repeat([]byte{'x'}, rng.IntN(300)), number)
			if tick.Offer(p, p.To(), &record.Message{Value: value, Time: now.UnixNano()}) == Taken {
				continue
			}
			break
		}
		s, err := tick.Seal(func(Partition) int64 { return p.To() })
		if err != nil {
			t.Fatal(err)
		}
		apply(now, s.Entry)
		if i%10 == 0 {
			apply(now, s.Entry) // again, which is refused
		}
		for ledger.advance(ledger.fleets[0], now) {
		}
		tick.Sync(ledger.View(), now.UnixNano())
		if i == 1000 {
			early = heap()
		}
	}
	late := heap()
	runtime.KeepAlive(tick)
	if late > early+early/10+1<<20 {
		t.Errorf("%d bytes live after 1,000 ticks, %d after 10,000", early, late)
	}
	if accepted < 9000 || rejected < 900 || !ledger.fleets[0].closing {
		t.Errorf("%d deltas accepted, %d rejected: the test says nothing", accepted, rejected)
	}
}

// TestMemoryOfWatchingIsWhole: all that policy remembers comes back from a checkpoint, whatever bytes names have.
func TestMemoryOfWatchingIsWhole(t *testing.T) {
	r, _, _, _ := begun(t, 1)
	hostile := string([]byte{0, 255, '\n', '"', 0xc3, 0x28, '\\'})
	at := second(33).UTC()
	answer := policy.Answer{Cause: policy.CauseHotKey, Key: hostile, Tenant: hostile, Fix: policy.FixSalt}
	plan := &policy.Plan{
		ID: "plan", Hotspot: "hot", Fix: policy.FixSalt, Undo: true, Load: 12.5, Expires: at, Digest: 1<<64 - 1, Added: []string{hostile}, Ready: true,
		Steps: []policy.Step{{
			Kind: policy.StepSalt, Key: hostile, Tenant: hostile, Caller: hostile, Moves: []routing.Move{{VShard: 0, To: 0}, {VShard: 9, To: 3}},
			Salt:   &routing.Salt{Tenant: hostile, Key: hostile, Suffixes: []uint32{0, 1<<32 - 1}, Read: 2, Write: 1, Tombstones: []uint32{7}},
			Shards: []string{hostile}, Rate: 1, Refused: 2, Operations: 3, Text: hostile,
		}},
		Projection: policy.Projection{
			Fix: policy.FixSalt, Hottest: 1, Shard: 2, Upper: 3, Utilization: 4, Imbalance: 5, Feasible: true, ReadMultiplier: 6, KeyReadMultiplier: 7, Salt: 8,
			MovedShare: 9, Shards: 10, Rate: 11, Loads: []float64{0, 1, 2}, Why: hostile,
		},
		Footprint: []routing.Entry{routing.SaltEntry(hostile, hostile), routing.VShardEntry(3)},
	}
	r.live.states[0] = policy.State{
		Detection: policy.Detection{Newest: at, Shards: map[string]policy.Track{
			hostile: {Since: at, Proved: at, Onset: at, Hotspot: &policy.Hotspot{
				ID: "hot", Onset: at, Fired: at, Dimension: 1, Severity: policy.SeverityCritical, Line: 0.1 + 0.2, Target: 1e300, Told: answer, Plan: plan,
				Change: answer, Changed: at, CoolSince: at,
			}},
			"cold": {},
		}},
		Action: policy.Action{CoolDown: map[string]time.Time{hostile: at}, LowSince: map[string]time.Time{hostile: at}},
	}
	b, err := r.live.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	c, err := DecodeCheckpoint(b)
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, live := follow(t, []LiveFleet{*r.fleet().live}, r.log, c)
	if err := live.TakeOver(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.live.states, live.states, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("state (-left +taken over):\n%s", diff)
	}
	exported(t, reflect.TypeFor[policy.State](), map[reflect.Type]bool{})
}

// TestCheckpointOfManyPlans: a memory that is too large for an entry goes without its plans, and with all else.
func TestCheckpointOfManyPlans(t *testing.T) {
	r, _, _, _ := begun(t, 1)
	shards := map[string]policy.Track{}
	for i := range 100 {
		plan := &policy.Plan{ID: fmt.Sprint(i), Projection: policy.Projection{Loads: make([]float64, 2048)}}
		for n := range plan.Projection.Loads {
			plan.Projection.Loads[n] = 1.1 * float64(n)
		}
		shards[fmt.Sprint(i)] = policy.Track{Onset: second(float64(i)).UTC(), Hotspot: &policy.Hotspot{ID: fmt.Sprint(i), Plan: plan}}
	}
	r.live.states[0].Detection.Shards = shards
	b, err := r.live.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	c, err := DecodeCheckpoint(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > MaxDelta {
		t.Errorf("%d bytes", len(b))
	}
	_, _, _, live := follow(t, []LiveFleet{*r.fleet().live}, r.log, c)
	if err := live.TakeOver(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.live.states, live.states, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(policy.Hotspot{}, "Plan")); diff != "" {
		t.Errorf("state (-left +taken over):\n%s", diff)
	}
	if r.live.states[0].Detection.Shards["1"].Hotspot.Plan == nil {
		t.Error("the state itself has lost its plans")
	}
}

// exported fails the test if a type has a field that does not travel.
func exported(t *testing.T, of reflect.Type, seen map[reflect.Type]bool) {
	if seen[of] || of == reflect.TypeFor[time.Time]() {
		return
	}
	seen[of] = true
	switch of.Kind() { //nolint:exhaustive // the others hold nothing
	case reflect.Struct:
		for f := range of.Fields() {
			if !f.IsExported() {
				t.Errorf("%v.%s is lost in a checkpoint", of, f.Name)
			}
			exported(t, f.Type, seen)
		}
	case reflect.Map:
		exported(t, of.Key(), seen)
		exported(t, of.Elem(), seen)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		exported(t, of.Elem(), seen)
	case reflect.Interface, reflect.Func, reflect.Chan:
		t.Errorf("%v does not travel in a checkpoint", of)
	default:
	}
}

// TestPartOfOtherShards: loads of virtual shards and shards that this fleet does not have, from a writer that should not be
// there, fail nothing.
func TestPartOfOtherShards(t *testing.T) {
	r, _, c, p := begun(t, 1)
	size, err := r.fleet().live.Counting(7)
	if err != nil {
		t.Fatal(err)
	}
	s := sketch.NewSummary(size)
	var sums sketch.Sums
	sums.Requests, sums.Cost, sums.Records = sketch.Fixed(5000), sketch.Fixed(5000), sketch.One
	s.Add(&sketch.Event{VShard: 1 << 20, Shard: 60_000, Key: []byte("k"), Tenant: []byte("t"), Sums: sums})
	var part sketch.Part
	s.Part(&part)
	form, err := part.Append(nil, sketch.MaxPart)
	if err != nil {
		t.Fatal(err)
	}
	for s := 22; s < 80; s += 2 {
		r.to(float64(s))
		c[0].says(p[0], "k", float64(s), 1)
		d, err := decodeDelta(c[0].seal())
		if err != nil {
			t.Fatal(err)
		}
		d.fleets[0].panes[0].part = form
		accepted(t, r.put(d.entry()))
		c[0].sync()
	}
	if len(r.sink.decisions) < 4 {
		t.Errorf("%d decisions", len(r.sink.decisions))
	}
}
