package history

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/actuator"
	"firebreak/policy"
	"firebreak/routing"
)

// filler sets every field of anything to something.
type filler struct{ *rand.Rand }

func (f filler) fill(v reflect.Value) {
	switch kind, err := wireOf(v.Type()); {
	case err != nil:
		panic(err)
	case v.Type() == reflect.TypeFor[*routing.Table]():
	case kind == wireTime:
		v.Set(reflect.ValueOf(time.Unix(f.Int64N(4e9)-1e9, f.Int64N(1e9)).UTC()))
	case kind == wireStruct:
		for _, field := range v.Fields() {
			f.fill(field)
		}
	case kind == wireList:
		if n := f.IntN(5); n > 0 { // or nil
			v.Set(reflect.MakeSlice(v.Type(), n-1, n-1))
		}
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case kind == wireMap:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key)
			f.fill(value)
			v.SetMapIndex(key, value)
		}
	case kind == wireRef:
		if f.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		}
	default:
		f.scalar(v, kind)
	}
}

func (f filler) scalar(v reflect.Value, kind wireKind) {
	text := make([]byte, f.IntN(9))
	for i := range text {
		text[i] = byte(f.Uint32())
	}
	floats := []float64{0, math.Copysign(0, -1), 0.1, 12, -3e300, math.Inf(1), math.SmallestNonzeroFloat64, f.NormFloat64()}
	switch {
	case kind == wireText && v.Kind() == reflect.String:
		v.SetString(string(text))
	case kind == wireText:
		v.SetBytes(text)
	case kind == wireFloat:
		v.SetFloat(floats[f.IntN(len(floats))])
	case kind == wireBool:
		v.SetBool(f.IntN(2) == 1)
	case kind == wireInt:
		v.SetInt(int64(int32(f.Uint32())))
	default:
		v.SetUint(uint64(byte(f.Uint32())))
	}
}

// TestColumnsKeepEverything: whatever stands in any field of evidence or of an answer comes back as it was, and equal values
// give equal bytes. A field that policy gains is covered by itself.
func TestColumnsKeepEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := filler{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))}
		roundTrip[evidenceWire](t, f)
		roundTrip[policy.Decision](t, f)
		roundTrip[Minute](t, f)
	})
}

func roundTrip[T any](t *rapid.T, f filler) {
	var v, back T
	f.fill(reflect.ValueOf(&v).Elem())
	raw, err := marshal(&v)
	if err != nil {
		t.Fatal(err)
	}
	if err := unmarshal(raw, &back, true); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(v, back) {
		t.Fatalf("comes back otherwise (-want +got):\n%s", cmp.Diff(v, back, cmp.Exporter(func(reflect.Type) bool { return true })))
	}
	again, err := marshal(&back)
	if err != nil || !bytes.Equal(raw, again) {
		t.Fatalf("%v: %d bytes become %d, or others", err, len(raw), len(again))
	}
}

// TestColumnsOutliveFields: a reader of another version passes over what it does not know, or says so where that matters.
func TestColumnsOutliveFields(t *testing.T) {
	type old struct {
		Name  string
		Cause policy.Cause
	}
	type newer struct {
		Name  string
		Added []time.Time
		Cause policy.Cause
	}
	raw, err := marshal(&newer{"n", []time.Time{noon()}, policy.CauseHotKey})
	if err != nil {
		t.Fatal(err)
	}
	var got old
	if err := unmarshal(raw, &got, false); err != nil || got != (old{"n", policy.CauseHotKey}) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := unmarshal(raw, new(old), true); !errors.Is(err, actuator.ErrNewer) {
		t.Errorf("strict: %v, want ErrNewer", err)
	}
	if raw, err = marshal(&newer{Name: "n"}); err != nil {
		t.Fatal(err)
	}
	if err := unmarshal(raw, new(old), true); err != nil {
		t.Errorf("a new field that is zero: %v", err)
	}
	type word struct{ Name policy.Cause }
	if err := unmarshal(raw, new(word), false); !errors.Is(err, actuator.ErrNewer) {
		t.Errorf("a field of another kind: %v, want ErrNewer", err)
	}
	raw, err = marshal(&old{Cause: policy.CauseHotKey})
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.Replace(raw, []byte("hot_key"), []byte("hot_kex"), 1)
	if err := unmarshal(raw, new(old), true); !errors.Is(err, actuator.ErrNewer) {
		t.Errorf("an unknown cause: %v, want ErrNewer", err)
	}
}

// TestColumnsRefuseToLose: what cannot be written is an error and not left out.
func TestColumnsRefuseToLose(t *testing.T) {
	type hidden struct{ name string }
	if _, err := marshal(&hidden{"n"}); err == nil {
		t.Error("a field that is not exported was dropped")
	}
	type function struct{ F func() }
	if _, err := marshal(&function{func() {}}); err == nil {
		t.Error("a function was dropped")
	}
}

// TestColumnsAreBounded: a few bytes that speak of very many values take no memory.
func TestColumnsAreBounded(t *testing.T) {
	raw, err := marshal(&policy.Snapshot{Panes: []policy.Pane{{VShards: make([]policy.VShardSums, 300_000)}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := unmarshal(raw, new(policy.Snapshot), true); !errors.Is(err, errColumns) {
		t.Errorf("%d bytes of 300,000 values: %v", len(raw), err)
	}
}
