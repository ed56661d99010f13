package console

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"firebreak/actuator"
	"firebreak/internal/history"
	"firebreak/internal/line"
	"firebreak/internal/words"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// hostileNames are names that were markup, scripts, templates or tricks of the eye elsewhere.
func hostileNames() []string {
	kinds := []string{
		`<script>alert(%d)</script>`, `"><img src=x onerror=alert(%d)>`, `'><svg onload=alert(%d)>`, `</script><script>alert(%d)</script>`, `</title><b>%d</b>`,
		`</style><style>*{display:none}</style>%d`, `</svg><iframe src=//evil/%d>`, `javascript:alert(%d)`, `" onfocus=alert(%d) autofocus x="`, `{{.CSP}}%d{{end}}`,
		`{{template "page" .}}%d`, "${alert(%d)}", `&lt;b&gt;%d&amp;`, `<!--%d--><![CDATA[`, `]]>%d`, "\x00\n\x1b[2J%d\xff\xfe", "\u202eevil%d\u202c", "zero\u200bwidth\u200d%d\ufeff",
		"a\xff%d", "a\xfe%d", `a\xff%d`, "line\r\nbreak\u2028%d", "%d" + strings.Repeat("長", 70), "`%d`", "%%25%d", "../%d", "..%%2f%d?x=1#y", " %d ", "\u00a0%d",
		"<a href=javascript:alert(%d)>", "<math><mi xlink:href=data:x>%d", `\u{202e}%d`, "url(//evil/%d)", "/%d", "//evil/%d", `\%d`,
	}
	names := make([]string, 0, 1000)
	for i := range 1000 {
		names = append(names, fmt.Sprintf(kinds[i%len(kinds)], i))
	}
	return names
}

// TestHostileNames (S18): a thousand names in every place where a name can stand make no element and no attribute, lead nowhere else,
// and are shown as the text that they are; JSON stays JSON. Fleets and shards of such names have pages that open.
func TestHostileNames(t *testing.T) {
	names := hostileNames()
	if testing.Short() {
		names = names[:100]
	}
	const batch = 50
	for from := 0; from+batch <= len(names); from += batch {
		some := names[from : from+batch]
		m := hostileModel(t, some)
		h := served(t, m, &oracle{answer: Answer{3, 2, 4}, status: Status{Instance: some[1], Conditions: []Condition{{"c", some[2]}}, Topics: []Topic{{some[0], some[3], 1, 0}}, Routing: []Routing{{Fleet: some[0], Version: 1, Trouble: some[4], Stopped: true, By: some[5], Reason: some[6]}}}})
		id := m.fleets[0].order[0].id
		path := fleetPath(some[0])
		q := "?key=" + url.QueryEscape(routing.Escape(some[4])) + "&tenant=" + url.QueryEscape(routing.Escape(some[5]))
		for _, page := range []string{"/", "/status", "/reports", path, path + "/hotspots/" + url.PathEscape(id), path + "/search" + q, path + "/search?key=" + url.QueryEscape(some[6]), "/whatif?share=" + url.QueryEscape(some[7]), "/fleets/" + url.PathEscape(some[8]+"!")} {
			w := get(t, h, page)
			if w.Code >= 500 || w.Code/100 == 4 && page == path {
				t.Fatalf("%q: %d", page, w.Code)
			}
			root := parsed(t, w.Body.String())
			switch page {
			case path:
				shows(t, root, some[36])
			case path + "/hotspots/" + url.PathEscape(id):
				shows(t, root, some[9])
				shows(t, root, some[36])
				shows(t, root, some[38])
				shows(t, root, some[43])
				shows(t, root, some[45])
			case "/reports":
				showsText(t, root, words.Flat(some[40], maxWhere))
			}
		}
		for _, path := range []string{"fleets", "hotspots", "hotspots/" + url.PathEscape(id), "heatmap?fleet=" + url.QueryEscape(routing.Escape(some[0])), "reports", "search" + q + "&fleet=" + url.QueryEscape(routing.Escape(some[0])), "status"} {
			w := get(t, h, "/api/v1/"+path)
			if w.Code != 200 || !json.Valid(w.Body.Bytes()) || slices.ContainsFunc(w.Body.Bytes(), func(c byte) bool { return c < ' ' && c != '\n' }) {
				t.Fatalf("%s: %d %.300s", path, w.Code, w.Body)
			}
		}
	}
}

// shows says that a name stands on a page as it is to be shown.
func shows(t *testing.T, root *html.Node, name string) {
	t.Helper()
	showsText(t, root, words.Show(name, words.MaxName))
}

func showsText(t *testing.T, root *html.Node, want string) {
	t.Helper()
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Data == want && n.Parent.Data == "bdi" {
			return
		}
	}
	t.Errorf("%q is not shown", want)
}

// hostileModel has the names as fleets, shards, keys, tenants, callers, hotspots, sentences, steps, holds, advice and instances.
func hostileModel(t *testing.T, names []string) *Model {
	t.Helper()
	var shards []routing.Shard
	for i := range 16 {
		shards = append(shards, routing.Shard{Name: names[i], Role: routing.Serving})
	}
	doc, err := routing.Adopt("f", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, shards)
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	f := watch(t, 4, "key")
	f.name, f.table, f.panes, f.cfg.LongPanes = names[0], table, 12, 12
	m := New([]Fleet{{Name: names[0], Judge: f.cfg, Cost: names[11]}, {Name: names[10], Judge: f.cfg}}, nil)
	s := f.snapshot()
	s.Inputs.Missing = names[:3]
	d := policy.Decision{Holds: []policy.Hold{{Reason: policy.HoldStale, Detail: names[12]}}, Advice: []policy.Advice{{Shard: names[3], Topic: policy.TopicDisk, Reason: names[13]}}}
	for i := range 4 {
		d.Verdicts = append(d.Verdicts, hostileVerdict(names, i, f.start))
	}
	d.Open = d.Verdicts
	m.Judged(&Tick{Snapshot: s, Config: &f.cfg, Now: f.now(), Decision: &d})
	v := &d.Verdicts[0]
	entry := func(k actuator.Kind, l any) {
		b, err := line.Encode(l)
		if err != nil {
			t.Fatal(err)
		}
		m.Entry(&actuator.Entry{ID: k.String(), Fleet: names[0], At: f.now(), Kind: k, Phase: actuator.PhaseBegun, Hotspot: v.Hotspot, Line: b[:len(b)-1]})
	}
	entry(actuator.KindPlan, line.NewPlan(names[0], line.Stamp(f.now()), &policy.Plan{ID: names[14], Hotspot: v.Hotspot, Steps: []policy.Step{{Kind: policy.StepMove, Text: names[15], Operations: 2}}, Expires: f.now()}, table))
	entry(actuator.KindHold, line.NewHold(names[0], line.Stamp(f.now()), policy.Hold{Hotspot: v.Hotspot, Reason: policy.HoldObserve, Detail: names[16]}))
	entry(actuator.KindVerdict, line.NewVerdict(v))
	m.Entry(&actuator.Entry{ID: "d", At: f.now(), Kind: actuator.KindDecider, Epoch: 1, Instance: names[17], Line: []byte("{}")})
	at := f.now()
	spoken := func(e actuator.Entry, err error) {
		if err != nil {
			t.Fatal(err)
		}
		m.Entry(&e)
	}
	spoken(actuator.NewDismissed(names[0], at, actuator.Dismissed{Hotspot: line.Name(v.Hotspot), By: line.Name(names[38]), Reason: line.Prose(names[39])}))
	spoken(actuator.NewAccepted(names[0], at, actuator.Accepted{Hotspot: line.Name(v.Hotspot), By: line.Name(names[36]), Reason: line.Prose(names[37]), Until: line.Stamp(at.Add(time.Hour)), Load: 1}))
	for i, n := range []control.Note{
		{Do: control.DoApprove, By: names[43], Reason: names[44], Plan: names[14]},
		{Do: control.DoHold, By: names[45], Refused: names[46]},
		{Do: control.DoAct, By: names[47], Operation: 1, Act: control.Act{Fix: names[0], Phase: names[1], Outcome: names[2], Text: names[48]}},
		{Do: control.DoAct, Operation: 1, Act: control.Act{Text: names[49], Call: control.CallNeeded}},
	} {
		n.ID, n.At, n.Hotspot = fmt.Sprint(i), at, v.Hotspot
		spoken(actuator.NewRouted(names[0], &n, false, nil))
	}
	spoken(actuator.NewReported(at, actuator.Reported{From: line.Stamp(f.start), To: line.Stamp(at), Where: line.Prose(names[40]), Text: line.Prose(names[41])}))
	spoken(actuator.NewReported(at, actuator.Reported{From: line.Stamp(f.start), To: line.Stamp(f.start.Add(time.Minute)), Why: line.Prose(names[42])}))
	minute := &history.Minute{Fleet: names[0], Start: f.start, Load: 1, Samples: 100}
	for i := range 16 {
		minute.Shards = append(minute.Shards, history.Shard{Name: names[i], Full: 0.5, Load: 1})
	}
	m.Minute(minute)
	return m
}

func hostileVerdict(names []string, i int, at time.Time) policy.Verdict {
	v := policy.Verdict{
		Fleet: names[0], Time: at, Hotspot: fmt.Sprint("id-", i), Onset: at.Add(-time.Minute), Phase: policy.PhaseFiring, Shard: names[i], ShardID: routing.ShardID(i), Placement: names[20],
		Cause: policy.Causes()[i], Key: names[9+i], Tenant: names[21], Caller: names[22], Reason: names[23], Missing: names[24:26], Load: 500, Mean: 100, Line: 300, Target: 290,
		From: at.Add(-time.Minute), To: at, Fix: policy.FixSalt, Share: policy.Bounds{Value: 0.8, Low: 0.7, High: 0.9},
		Contribute: []policy.Contribution{{Cause: policy.CauseHotKey, Key: names[9], Tenant: names[21]}, {Cause: policy.CauseWhaleTenant, Tenant: names[21]}},
	}
	if i == 0 {
		v.Cause = policy.CauseHotKey
	}
	for j, fix := range policy.Fixes()[1:] {
		v.Projected = append(v.Projected, policy.Projection{Fix: fix, Hottest: 400, Shard: 200, Upper: 250, Feasible: fix == v.Fix, Loads: make([]float64, 16), Why: names[26+j]})
	}
	return v
}
