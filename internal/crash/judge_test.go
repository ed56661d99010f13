package crash

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator"
)

func moment(s float64) time.Time { return began().Add(time.Duration(s * float64(time.Second))) }

// writes makes a journal of entries, a second apart.
func writes(t *testing.T, entries ...actuator.Entry) *Journal {
	t.Helper()
	j := NewJournal()
	for i := range entries {
		b, err := actuator.Encode(&entries[i])
		if err != nil {
			t.Fatal(err)
		}
		j.Apply(moment(float64(i)), b)
	}
	return j
}

func decides(instance string, epoch int64) actuator.Entry {
	return actuator.Entry{
		ID: actuator.NewID("decider", instance, fmt.Sprint(epoch)), At: began(), Epoch: epoch, Instance: instance, Kind: actuator.KindDecider,
		Line: fmt.Appendf(nil, `{"type":"decider","instance":%q,"epoch":%d}`, instance, epoch),
	}
}

func tells(instance string, epoch int64, hotspot string, phase actuator.Phase, key string) actuator.Entry {
	return actuator.Entry{
		ID: actuator.NewID(hotspot, phase.String(), key), At: began(), Epoch: epoch, Instance: instance, Kind: actuator.KindVerdict, Phase: phase, Hotspot: hotspot,
		Line: fmt.Appendf(nil, `{"type":"verdict","schema":1,"cause":"hot_key","key":%q,"shard":"shard-1","onset":"2026-11-30T12:00:00.000Z"}`, key),
	}
}

// TestJournal: a hotspot that one decider fires and the next resolves is one hotspot, with one id.
func TestJournal(t *testing.T) {
	j := writes(t, decides("a", 1), tells("a", 1, "h", actuator.PhaseFired, "k"), decides("b", 2), tells("a", 1, "late", actuator.PhaseFired, "x"), tells("b", 2, "h", actuator.PhaseResolved, "k"))
	if found := j.Problems(); len(found) > 0 {
		t.Errorf("problems: %v", found)
	}
	want := []Hotspot{{
		ID: "h", Shard: "shard-1", Cause: "hot_key", Key: "k", Onset: began(), Fired: []time.Time{moment(1)}, Resolved: []time.Time{moment(4)}, By: []string{"a", "b"},
	}}
	if diff := cmp.Diff(want, j.Hotspots()); diff != "" {
		t.Errorf("hotspots (-want +got):\n%s", diff)
	}
	if found := want[0].Problems("k"); len(found) > 0 {
		t.Errorf("problems: %v", found)
	}
	if len(j.Wanted()) != 2 {
		t.Errorf("wanted %v", j.Wanted())
	}
}

// TestJournalFinds: two that decide under one epoch, an entry of nobody's tenure, and what does not resolve.
func TestJournalFinds(t *testing.T) {
	for name, tt := range map[string]struct {
		entries []actuator.Entry
		want    string
	}{
		"nobody":        {nil, "nobody ever decided"},
		"two":           {[]actuator.Entry{decides("a", 1), decides("b", 1)}, "epoch 1 begins after epoch 1"},
		"another wrote": {[]actuator.Entry{decides("a", 1), tells("b", 1, "h", actuator.PhaseFired, "k")}, "by b, which does not decide then"},
		"never began":   {[]actuator.Entry{decides("a", 1), tells("a", 2, "h", actuator.PhaseFired, "k")}, "of epoch 2 by a, which does not decide then"},
	} {
		if found := strings.Join(writes(t, tt.entries...).Problems(), "\n"); !strings.Contains(found, tt.want) {
			t.Errorf("%s: found %q, want %q", name, found, tt.want)
		}
	}
	j := writes(t, decides("a", 1), tells("a", 1, "h", actuator.PhaseFired, "k"))
	j.Apply(moment(9), []byte("garbage"))
	if found := strings.Join(j.Problems(), "\n"); !strings.Contains(found, "1 entries are malformed") {
		t.Errorf("found %q", found)
	}
	h := j.Hotspots()[0]
	if found := strings.Join(h.Problems("other"), "\n"); !strings.Contains(found, "fired 1 times and resolved 0 times") || !strings.Contains(found, `want hot_key "other"`) {
		t.Errorf("found %q", found)
	}
}

// TestDiffer: a pane between two onsets is none; another key, another shard and one more hotspot are.
func TestDiffer(t *testing.T) {
	at := func(key, shard string, s float64) Hotspot {
		return Hotspot{Key: key, Shard: shard, Cause: "hot_key", Onset: moment(s)}
	}
	want := []Hotspot{at("k", "1", 0)}
	for name, tt := range map[string]struct {
		got  []Hotspot
		same bool
	}{
		"same": {want, true}, "a pane later": {[]Hotspot{at("k", "1", 1)}, true}, "two panes later": {[]Hotspot{at("k", "1", 2)}, false},
		"key": {[]Hotspot{at("l", "1", 0)}, false}, "shard": {[]Hotspot{at("k", "2", 0)}, false}, "none": {nil, false},
		"one more": {append([]Hotspot{at("j", "1", 9)}, want...), false},
	} {
		if found := Differ(want, tt.got, time.Second); (len(found) == 0) != tt.same {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// TestNotices: each entry is told, and told twice only across a fault.
func TestNotices(t *testing.T) {
	n := &Notices{}
	n.Take("a", "a", "verdict fired", moment(0))
	n.Take("b", "b", "verdict fired", moment(1))
	n.Take("a", "a", "verdict fired", moment(10))
	wanted := map[string]string{"a": "a verdict", "b": "another"}
	if found := n.Problems(wanted, []Span{{moment(5), moment(6)}}); len(found) > 0 {
		t.Errorf("problems: %v", found)
	}
	for _, spans := range [][]Span{nil, {{moment(11), moment(12)}}} {
		if found := n.Problems(wanted, spans); len(found) != 1 || !strings.Contains(found[0], "told twice") {
			t.Errorf("without a fault between: %v", found)
		}
	}
	if found := n.Problems(map[string]string{"c": "a third"}, []Span{{moment(5), moment(6)}}); len(found) != 1 || !strings.Contains(found[0], "never told: c (a third)") {
		t.Errorf("problems: %v", found)
	}
	n.Take("b", "other", "verdict fired", moment(2))
	n.Refuse("no JSON")
	if found := n.Problems(nil, []Span{{moment(5), moment(6)}}); len(found) != 2 {
		t.Errorf("problems: %v", found)
	}
}

// TestFailovers: only the death of a process that decides counts; another fault in between starts the clock anew.
func TestFailovers(t *testing.T) {
	tenures := []Tenure{{1, "a", moment(0)}, {2, "b", moment(20)}, {3, "a2", moment(50)}}
	process := map[string]int{"a": 0, "b": 1, "a2": 0}
	kill := func(p int, from, to float64) Outage { return Outage{p, Kill, Span{moment(from), moment(to)}} }
	for name, tt := range map[string]struct {
		outages []Outage
		want    []Failover
	}{
		"another dies":      {[]Outage{kill(2, 5, 6)}, nil},
		"the decider":       {[]Outage{kill(0, 10, 12)}, []Failover{{0, moment(10), moment(10), moment(20)}}},
		"and another":       {[]Outage{kill(0, 10, 12), kill(2, 13, 15)}, []Failover{{0, moment(10), moment(13), moment(20)}}},
		"and the broker":    {[]Outage{kill(0, 10, 12), {Broker, Restart, Span{moment(9), moment(16)}}}, []Failover{{0, moment(10), moment(16), moment(20)}}},
		"nobody follows":    {[]Outage{kill(0, 60, 61)}, []Failover{{0, moment(60), moment(60), time.Time{}}}},
		"after its tenure":  {[]Outage{kill(0, 30, 31)}, nil},
		"a freeze is alive": {[]Outage{{0, Freeze, Span{moment(10), moment(12)}}}, nil},
	} {
		if diff := cmp.Diff(tt.want, Failovers(tenures, process, tt.outages)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSlope: a line rises by what it rises, whatever is around it; nothing has no slope.
func TestSlope(t *testing.T) {
	rising, flat := &Series{}, &Series{}
	for i := range 101 {
		at := time.Duration(i) * time.Second
		rising.Add(at, 95+0.1*float64(i))
		flat.Add(at, 100+float64(i%2))
	}
	if got := rising.Slope(); math.Abs(got-0.1) > 1e-9 {
		t.Errorf("slope %v, want 0.1", got)
	}
	if got := rising.Since(50 * time.Second).Slope(); math.Abs(got-5/102.5) > 1e-9 {
		t.Errorf("slope of the second half %v, want %v", got, 5/102.5)
	}
	if got := flat.Slope(); math.Abs(got) > 1e-3 {
		t.Errorf("slope of noise %v", got)
	}
	if got := (&Series{}).Slope(); got != 0 {
		t.Errorf("slope of nothing %v", got)
	}
	if flat.Least() != 100 || flat.Most() != 101 {
		t.Errorf("from %v to %v", flat.Least(), flat.Most())
	}
}
