package pipeline

import (
	"fmt"
	"testing"
	"time"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// TestWrittenTwice: while a place is written twice, shards log each of its writes twice. They count once, where the table has the place,
// and are no traffic that goes astray; what goes to a shard that has no part in it still is, and so are reads of the other side.
func TestWrittenTwice(t *testing.T) {
	loads := func(point policy.LogPoint, double bool, op record.Op, second string) (policy.Inputs, [4]float64) {
		var v routing.VShard
		f := newTestFleet(t, func(c *Config) {
			c.LogPoint = point
			c.Document = c.Document.Clone()
			c.Document.Version = 7
			table, err := routing.NewTable(c.Document)
			if err != nil {
				t.Fatal(err)
			}
			for v = 0; table.Owner(v) != 1; v++ {
			}
			if double {
				c.Document.Double(routing.Double{Entry: routing.VShardEntry(v), Value: "shard-2"})
			}
		})
		key := ""
		for i := 0; ; i++ {
			if key = fmt.Sprint("k", i); f.Table().VShard([]byte("t"), []byte(key)) == v {
				break
			}
		}
		for n := range 1000 {
			r := at(time.Duration(n)*10*time.Millisecond, "t", key)
			r.Op = op
			f.Observe(0, onShard(r, "shard-1"))
			if second != "" {
				f.Observe(0, onShard(r, second))
			}
		}
		s := finished(t, f)
		var by [4]float64
		for _, p := range s.Panes {
			for _, x := range p.VShards {
				by[f.Table().Owner(x.VShard)] += x.Load
			}
		}
		return s.Inputs, by
	}
	_, once := loads(policy.LogPointShard, true, record.OpWrite, "")
	if once[1] == 0 {
		t.Fatal("nothing is counted")
	}
	for name, c := range map[string]struct {
		point    policy.LogPoint
		double   bool
		op       record.Op
		second   string
		times    float64
		disagree float64
	}{
		"a write":                {policy.LogPointShard, true, record.OpWrite, "shard-2", 1, 0},
		"no op":                  {policy.LogPointShard, true, record.OpUnknown, "shard-2", 1, 0},
		"a read":                 {policy.LogPointShard, true, record.OpRead, "shard-2", 2, 0.5},
		"to another shard":       {policy.LogPointShard, true, record.OpWrite, "shard-3", 2, 0.5},
		"not written twice":      {policy.LogPointShard, false, record.OpWrite, "shard-2", 2, 0.5},
		"what clients have sent": {policy.LogPointClient, true, record.OpWrite, "shard-2", 2, 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			in, by := loads(c.point, c.double, c.op, c.second)
			if by[1] != c.times*once[1] || in.Disagree != c.disagree || in.Coverage != 1 {
				t.Errorf("load %v times that of one write, disagree %v, coverage %v: want %v, %v, 1", by[1]/once[1], in.Disagree, in.Coverage, c.times, c.disagree)
			}
		})
	}
}
