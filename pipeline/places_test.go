package pipeline

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// onShard makes the log name the shard.
func onShard(r *record.Record, shard string) *record.Record {
	if shard != "" {
		r.Shard = []byte(shard)
	}
	return r
}

// finished closes the input and gives the last snapshot.
func finished(t *testing.T, f *Fleet) *policy.Snapshot {
	t.Helper()
	f.Close()
	_, s := drainPanes(t, f)
	if s == nil {
		t.Fatalf("no snapshot: %+v", f.Stats())
	}
	return s
}

// TestShardLoads: the vshards of the snapshot under its table give every shard the load that placing each record gives.
func TestShardLoads(t *testing.T) {
	for _, bytes := range []string{"key", "tenant", "tenant,key"} {
		doc := adopt(t, routing.Placement{Bytes: bytes, Function: routing.XXH64, Map: routing.ModN}, 7)
		f := newTestFleet(t, func(c *Config) { c.Document = doc })
		want := make([]float64, 7)
		for n := range 2000 {
			tenant, key := fmt.Sprint("t", n%13), fmt.Sprint("k", n*n%101)
			f.Observe(0, at(time.Duration(n)*10*time.Millisecond, tenant, key))
			want[f.Table().Locate([]byte(tenant), []byte(key)).Shard]++
		}
		s := finished(t, f)
		got, pairs := make([]float64, 7), make([]float64, 7)
		for _, p := range s.Panes {
			for _, v := range p.VShards {
				got[s.Table.Owner(v.VShard)] += v.Load
			}
		}
		for _, p := range s.Pairs {
			for _, sums := range p.Panes {
				pairs[p.Shard] += sums.Load
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("placed by %s (-want +got):\n%s", bytes, diff)
		}
		if diff := cmp.Diff(want, pairs); diff != "" {
			t.Errorf("pairs, placed by %s (-want +got):\n%s", bytes, diff)
		}
		for _, k := range s.Keys {
			if at := s.Table.Locate([]byte(k.Tenant), []byte(k.Key)); at.VShard != k.VShard && bytes != "key" {
				t.Errorf("key %q of %q is listed on vshard %d, lies on %d", k.Key, k.Tenant, k.VShard, at.VShard)
			}
		}
	}
}

// TestKeyIdentity: where the tenant is hashed, the same key of two tenants is two keys; by key it is one, with its
// dominant tenant. No two (tenant, key) ever become one, however they are cut.
func TestKeyIdentity(t *testing.T) {
	for _, tt := range []struct {
		bytes    string
		unplaced uint64
		want     []string
	}{
		{"key", 1, []string{`"bc" of "a" 3`, `"c" of "ab" 1`}},
		{"tenant,key", 2, []string{`"bc" of "" 1`, `"bc" of "a" 2`, `"c" of "ab" 1`}},
	} {
		f := newTestFleet(t, func(c *Config) {
			c.Document = adopt(t, routing.Placement{Bytes: tt.bytes, Function: routing.XXH64, Map: routing.ModN}, 4)
		})
		for _, r := range [][2]string{{"a", "bc"}, {"ab", "c"}, {"a", "bc"}, {"", "bc"}, {"b", ""}} {
			f.Observe(0, at(0, r[0], r[1]))
		}
		var got []string
		s := finished(t, f)
		for _, k := range s.Keys {
			got = append(got, fmt.Sprintf("%q of %q %v", k.Key, k.Tenant, k.Panes[0].Load))
		}
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("placed by %s (-want +got):\n%s", tt.bytes, diff)
		}
		if got := f.Stats().Unplaced; got != tt.unplaced {
			t.Errorf("placed by %s: %d records on no shard, want %d", tt.bytes, got, tt.unplaced)
		}
	}
}

// TestExplicit: the log's shards are the fleet's, in the order of their first record; a key has its buckets on the shard
// that serves it, and a key that two shards serve is one on each.
func TestExplicit(t *testing.T) {
	f := newTestFleet(t, func(c *Config) { c.Document, c.Discover = nil, true })
	want := map[string]float64{}
	for n := range 900 {
		shard := []string{"eu-2", "eu-1", "us-1"}[n*n%3]
		if n >= 600 {
			shard = "late"
		}
		f.Observe(0, onShard(at(time.Duration(n)*100*time.Millisecond, fmt.Sprint("t", n%5), fmt.Sprint("k", n%4)), shard))
		want[shard]++
		drainPanes(t, f)
	}
	f.Observe(0, at(90*time.Second, "t", "nowhere"))
	s := finished(t, f)
	got := map[string]float64{}
	for _, p := range s.Panes {
		for _, v := range p.VShards {
			got[s.Table.Document().Shards[s.Table.Owner(v.VShard)].Name] += v.Load
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("loads (-want +got):\n%s", diff)
	}
	if names := s.Table.Document().Shards; names[0].Name != "eu-2" || names[len(names)-1].Name != "late" {
		t.Errorf("shards %+v", names)
	}
	perShard := map[routing.ShardID]float64{}
	for _, k := range s.Keys {
		for _, p := range k.Panes {
			if k.VShard >= 0 {
				perShard[s.Table.Owner(k.VShard)] += p.Load
			}
		}
	}
	for id, shard := range s.Table.Document().Shards {
		if perShard[routing.ShardID(id)] != want[shard.Name] {
			t.Errorf("the keys of %s have %v, want %v", shard.Name, perShard[routing.ShardID(id)], want[shard.Name])
		}
	}
	if f.Stats().Unplaced != 1 {
		t.Errorf("%d records on no shard, want the one without a shard", f.Stats().Unplaced)
	}
}

// TestExplicitIdentity: where the log names the shard, the same key of two tenants is two keys in buckets of their own, unless
// the placement says that the key alone counts; what one shard bears of a key never lies on another.
func TestExplicitIdentity(t *testing.T) {
	type key struct{ tenant, key, shard string }
	for bytes, want := range map[string]map[key]float64{
		"": {{"t0", "k", "shard-0"}: 30, {"t1", "k", "shard-0"}: 30, {"t2", "k", "shard-1"}: 30},
		// Of shard-0 both tenants send half: the first by name stands for them.
		"key": {{"t0", "k", "shard-0"}: 60, {"t2", "k", "shard-1"}: 30},
	} {
		f := newTestFleet(t, func(c *Config) {
			c.Document = adopt(t, routing.Placement{Map: routing.Explicit, Bytes: bytes}, 2)
		})
		for n := range 90 {
			shard := "shard-0"
			if n%3 == 2 {
				shard = "shard-1"
			}
			f.Observe(0, onShard(at(time.Duration(n)*time.Second, fmt.Sprint("t", n%3), "k"), shard))
		}
		s := finished(t, f)
		got, buckets := map[key]float64{}, map[routing.VShard]bool{}
		for i := range s.Keys {
			c := &s.Keys[i]
			got[key{c.Tenant, c.Key, s.Table.Document().Shards[s.Table.Owner(c.VShard)].Name}] += loadOfSums(c.Panes)
			buckets[c.VShard] = true
		}
		if diff := cmp.Diff(want, got); diff != "" || len(buckets) != len(want) {
			t.Errorf("bytes %q: %d buckets, keys (-want +got):\n%s", bytes, len(buckets), diff)
		}
	}
}

func loadOfSums(panes []policy.Sums) (load float64) {
	for i := range panes {
		load += panes[i].Load
	}
	return load
}

// TestTooManyShards: a log that names ever new shards is refused what no document can hold.
func TestTooManyShards(t *testing.T) {
	f := newTestFleet(t, func(c *Config) { c.Document, c.Discover = nil, true })
	for n := range routing.MaxShards + 7 {
		f.Observe(0, onShard(at(0, "t", "k"), fmt.Sprint("shard ", n)))
	}
	f.Observe(0, onShard(at(0, "t", "k"), string(make([]byte, 256))))
	finished(t, f)
	if s := f.Stats(); s.TooManyShards != 8 || s.Counted != routing.MaxShards {
		t.Errorf("%+v, want 8 refused", s)
	}
}

// TestDisagree: the share of requests that the log saw on another shard than the table names.
func TestDisagree(t *testing.T) {
	f := newTestFleet(t, nil)
	for n := range 1000 {
		r := at(time.Duration(n)*10*time.Millisecond, "t", fmt.Sprint("k", n))
		id := f.Table().Locate(r.Tenant, r.Key).Shard
		name := fmt.Sprint("shard-", id)
		switch n % 50 {
		case 0:
			name = fmt.Sprint("shard-", (id+1)%4)
		case 1:
			name = fmt.Sprint(int(id)) // a bare number means the same
		case 2:
			name = ""
		}
		f.Observe(0, onShard(r, name))
	}
	if got, want := finished(t, f).Inputs.Disagree, 20./980; math.Abs(got-want) > 1e-9 {
		t.Errorf("disagree = %v, want %v", got, want)
	}
}

// TestSaltAtShard: what shards log of a salted key's pieces is one key, a read of all pieces one read; each piece stands
// where it was served, and the vshards keep what was served.
func TestSaltAtShard(t *testing.T) {
	doc := adopt(t, routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, 16)
	doc.Salts = []routing.Salt{{Key: "hot", Suffixes: []uint32{0, 5, 9, 12}, Read: 4, Write: 4}}
	f := newTestFleet(t, func(c *Config) { c.Document, c.LogPoint = doc, policy.LogPointShard })
	physical := []string{"hot", "hot#5", "hot#9", "hot#12"}
	served := 0.0
	for n := range 400 {
		after := time.Duration(n) * 20 * time.Millisecond
		for _, key := range physical { // one read, fanned out
			f.Observe(0, at(after, "t", key))
			served++
		}
		w := at(after, "t", physical[n%4])
		w.Op = record.OpWrite
		f.Observe(0, w)
		f.Observe(0, at(after, "t", "hot#6")) // no piece of it: another key
		served += 2
	}
	s := finished(t, f)
	if got := loadOf(s.Panes); got != served {
		t.Errorf("the shards served %v, want %v", got, served)
	}
	for _, k := range s.Keys {
		if k.Key != "hot" {
			if k.Key != "hot#6" {
				t.Errorf("%q is listed beside its logical key", k.Key)
			}
			continue
		}
		if got := k.Panes[0]; got.Reads != 400 || got.Writes != 400 || got.Load != 800 {
			t.Errorf("the key has %+v, want 400 reads and 400 writes", got)
		}
		if len(k.Pieces) != 4 {
			t.Fatalf("pieces %+v, want 4", k.Pieces)
		}
		for _, p := range k.Pieces {
			vshard, _ := s.Table.PiecePlace([]byte("t"), []byte("hot"), p.Suffix)
			if p.Suffix == 0 {
				vshard = s.Table.VShard([]byte("t"), []byte("hot"))
			}
			if p.Load != 500 || p.VShard != vshard {
				t.Errorf("piece %+v, want load 500 on vshard %d", p, vshard)
			}
		}
	}
}

// TestMixedRates (S20): shards of equal load, sampled 1:10 and 1:100, one of them 1:1000 from the middle on: each load
// comes out within 5 %, and lines without a rate count with the default.
func TestMixedRates(t *testing.T) {
	f := newTestFleet(t, func(c *Config) {
		c.Document, c.Discover, c.Rate, c.Sampling = nil, true, 0.01, policy.SamplingIndependent
	})
	const load = 2000 // requests/s of each shard
	for second := range 300 {
		for shard := range 6 {
			rate := 0.01
			switch {
			case shard == 1:
				rate = 0.1
			case shard == 2 && second >= 150:
				rate = 0.001
			}
			for i := range int(load * rate) {
				r := onShard(at(time.Duration(second)*time.Second+time.Duration(i)*time.Millisecond, "t", fmt.Sprint("k", i)), fmt.Sprint("s", shard))
				if r.Rate = rate; rate == 0.01 && (second+i)%100 == 0 {
					r.Rate = 0
				}
				f.Observe(0, r)
			}
		}
	}
	s := finished(t, f)
	loads := make([]float64, 6)
	for _, p := range s.Panes {
		for _, v := range p.VShards {
			loads[s.Table.Owner(v.VShard)] += v.Load / 300
		}
	}
	for shard, got := range loads {
		if math.Abs(got-load) > 0.05*load {
			t.Errorf("shard %d has %v/s, want %v within 5 %%", shard, got, load)
		}
	}
	if s.Inputs.Unrated <= 0 || f.Stats().Unrated == 0 {
		t.Errorf("the records without a rate are not counted: %+v", s.Inputs)
	}
}

// TestInputs: what the log names, what it lacks, and how many records take the default rate.
func TestInputs(t *testing.T) {
	f := newTestFleet(t, func(c *Config) { c.Sampling = policy.SamplingIndependent })
	for n := range 100 {
		r := at(time.Duration(n)*10*time.Millisecond, "", "k")
		if r.Op = record.OpUnknown; n >= 3 {
			r.Rate = 0.01
		}
		f.Observe(0, r)
	}
	want := policy.Inputs{Coverage: 1, Sampling: policy.SamplingIndependent, Keys: true, Unrated: 0.03, DefaultRate: 1, LoggedRate: 0.01}
	if diff := cmp.Diff(want, finished(t, f).Inputs); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	f = newTestFleet(t, nil)
	r := at(0, "t", "")
	r.Time, r.Caller = record.NoTime, []byte("c")
	f.Observe(0, r)
	s := finished(t, f)
	want = policy.Inputs{Coverage: 1, Tenants: true, Ops: true, Callers: true, Timeless: true}
	if diff := cmp.Diff(want, s.Inputs); diff != "" || !s.Whole || len(s.Panes) != 1 {
		t.Errorf("a log without time: %d panes, whole %v, inputs (-want +got):\n%s", len(s.Panes), s.Whole, diff)
	}
}

// slice is a stream of given records, then an error.
type slice struct {
	records []*record.Record
	err     error
}

func (s *slice) Next() (int, *record.Record, error) {
	if len(s.records) == 0 {
		return 0, nil, s.err
	}
	r := s.records[0]
	s.records = s.records[1:]
	return 0, r, nil
}

// TestMerge: the records of several files come in the order of their times; a stray date keeps its file waiting for none;
// a file that breaks off does not end the others.
func TestMerge(t *testing.T) {
	seconds := func(name string, times ...int) *slice {
		s := &slice{err: io.EOF}
		for _, sec := range times {
			s.records = append(s.records, at(time.Duration(sec)*time.Second, name, "k"))
		}
		return s
	}
	broken := seconds("c", 2, 9)
	broken.err = fmt.Errorf("c: %w", io.ErrUnexpectedEOF)
	streams := []Stream{seconds("a", 1, 90_000, 3, 5, 6), seconds("b", 0, 4, 4, 7), broken}
	var got []string
	var over []int
	err := Merge(streams, func(p, _ int, r *record.Record) {
		got = append(got, fmt.Sprint(p, " ", string(r.Tenant), " ", (r.Time-t0().UnixNano())/int64(time.Second)))
	}, func(p int) { over = append(over, p) })
	want := []string{"1 b 0", "0 a 1", "2 c 2", "0 a 90000", "0 a 3", "1 b 4", "1 b 4", "0 a 5", "0 a 6", "1 b 7", "2 c 9"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(over) != 3 {
		t.Errorf("error %v, %d streams over; want the broken one's, 3", err, len(over))
	}
	if err := Merge([]Stream{seconds("a", 1)}, func(int, int, *record.Record) {}, func(int) {}); err != nil {
		t.Errorf("one stream: %v", err)
	}
}

// TestConfig: what cannot be meant is refused, sampling by key with its reason.
func TestConfig(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.Rate = 0 }, func(c *Config) { c.Rate = 1.5 }, func(c *Config) { c.Pane = 0 },
		func(c *Config) { c.Window = 15 * time.Second }, func(c *Config) { c.Window = time.Second },
		func(c *Config) { c.Window, c.Pane = 24*time.Hour, time.Second }, func(c *Config) { c.Skew = -1 },
		func(c *Config) { c.Sampling = policy.SamplingByKey },
	} {
		c := DefaultConfig("f")
		if change(&c); c.Validate() == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	c := DefaultConfig("f")
	if err := c.Validate(); err != nil {
		t.Errorf("the default: %v", err)
	}
	for _, cost := range []Cost{CostRequests, CostBytes, CostLatency, CostDynamoDB} {
		var back Cost
		if text, err := cost.MarshalText(); err != nil || back.UnmarshalText(text) != nil || back != cost {
			t.Errorf("%v does not round-trip", cost)
		}
	}
}
