package control

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/routing"
)

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// fleet is the first state of a fleet of 4 shards and a spare one.
func fleet(t testing.TB) *State {
	t.Helper()
	shards := append(routing.NumberedShards(4), routing.Shard{Name: "spare", Role: routing.Spare})
	d, err := routing.Adopt("orders\xff", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, shards)
	if err != nil {
		t.Fatal(err)
	}
	return First(d)
}

// claimed is fleet after a claim.
func claimed(t testing.TB) *State {
	t.Helper()
	s, err := fleet(t).Claim(0, "tenure-1")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func set(t testing.TB, id string, version uint64, edits ...string) *Request {
	t.Helper()
	r := &Request{ID: id, By: "ann", At: noon(), Reason: "it is hot", Do: DoSet, IfVersion: version}
	for _, e := range edits {
		name, value, _ := strings.Cut(e, "=")
		entry, err := routing.ParseEntry(name)
		if err != nil {
			t.Fatal(err)
		}
		r.Edits = append(r.Edits, Edit{entry, value})
	}
	return r
}

// TestClaim: the epoch rises, whoever claims, and a claim has a tenure that nobody had.
func TestClaim(t *testing.T) {
	s := fleet(t)
	a, err := s.Claim(0, "a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.Claim(40, "b")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		got  At
		want At
	}{{s.At(), At{0, "", 1}}, {a.At(), At{1, "a", 2}}, {b.At(), At{40, "b", 3}}} {
		if tc.got != tc.want {
			t.Errorf("it stands at %+v, want %+v", tc.got, tc.want)
		}
	}
	for _, tenure := range []string{"", "b"} {
		if _, err := b.Claim(0, tenure); err == nil {
			t.Errorf("tenure %q was taken again", tenure)
		}
	}
	for _, s := range []*State{s, a, b} {
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// TestFollows: a write is a later version by the same tenure, or a claim.
func TestFollows(t *testing.T) {
	was := At{3, "a", 7}
	for at, ok := range map[At]bool{
		{3, "a", 8}: true, {3, "a", 90}: true, {4, "b", 8}: true, {3, "a", 7}: false, {3, "a", 6}: false, {3, "b", 8}: false, {4, "a", 8}: false,
		{2, "a", 8}: false, {2, "c", 8}: false,
	} {
		s := claimed(t)
		s.Document.Epoch, s.Document.Tenure, s.Document.Version = at.Epoch, at.Tenure, at.Version
		if err := Follows(was, s); (err == nil) != ok {
			t.Errorf("%+v after %+v: %v", at, was, err)
		}
	}
	if err := Follows(At{}, claimed(t)); err != nil {
		t.Errorf("a first state from a backup: %v", err)
	}
}

// TestAnswer: what is asked for is done or refused with the reason, either of it once, and both are in the outbox.
func TestAnswer(t *testing.T) {
	s := claimed(t)
	for _, tc := range []struct {
		r       *Request
		refused string // a part of it
		changes string
	}{
		{set(t, "1", 2, "vshard/17=spare", "quota/acme=500"), "", "vshard/17=spare quota/acme=500"},
		{set(t, "2", 2, "quota/acme=9"), "made for version 2, and the document stands at 3", ""},
		{set(t, "3", 4, "vshard/99999=spare"), "vshard", ""},
		{set(t, "4", 5, "quota/acme=9", "salt/k=write=1,read=1,suffixes=0"), "in phases", ""},
		{&Request{ID: "5", By: "ann", Reason: "fire", Do: DoStop}, "", ""},
		{set(t, "6", 7, "quota/acme="), "", "quota/acme="},
		{&Request{ID: "7", By: "ann", Reason: "out", Do: DoResume}, "", ""},
	} {
		before := s.At()
		n := s.Answer(tc.r, noon())
		if err := Follows(before, n); err != nil {
			t.Fatal(err)
		}
		note := n.Outbox[len(n.Outbox)-1]
		var changes []string
		for _, c := range note.Changes {
			changes = append(changes, c.Entry.String()+"="+c.Is)
		}
		if got := strings.Join(changes, " "); got != tc.changes || (tc.refused == "") != (note.Refused == "") || !strings.Contains(note.Refused, tc.refused) {
			t.Errorf("%s: %q, refused %q; want %q and %q", tc.r.ID, got, note.Refused, tc.changes, tc.refused)
		}
		if a, ok := n.Answered(tc.r.ID); !ok || a.Version != n.At().Version || a.Refused != note.Refused {
			t.Errorf("%s: the answer is %+v, %v", tc.r.ID, a, ok)
		}
		if again := n.Answer(tc.r, noon()); again != nil {
			t.Errorf("%s: answered again", tc.r.ID)
		}
		if n.Document.Stop != (tc.r.ID == "5" || tc.r.ID == "6") {
			t.Errorf("%s: stop is %v", tc.r.ID, n.Document.Stop)
		}
		s = n
	}
	if s.Document.Value(routing.VShardEntry(17)) != "spare" || len(s.Document.Quotas) != 0 {
		t.Errorf("the document has %+v", s.Document)
	}
	done := s.Pruned(func(string) bool { return true }, func(id string) bool { return id < "3" })
	if len(done.Outbox) != 0 || len(done.Answers) != 5 || done.At() != s.At() || done.Answer(set(t, "3", 0), noon()) != nil {
		t.Errorf("after pruning: %+v", done)
	}
}

// TestAnswerWaitsForTheJournal: a fleet whose notes nobody drains takes no more changes, and loses none.
func TestAnswerWaitsForTheJournal(t *testing.T) {
	s := claimed(t)
	for i := range 1000 {
		n := s.Answer(set(t, fmt.Sprint(i), s.At().Version, "quota/acme="+fmt.Sprint(i+1)), noon())
		if n == nil {
			break
		}
		s = n
	}
	if len(s.Outbox) != MaxOutbox || s.Outbox[0].ID != "0" {
		t.Errorf("%d notes, the first of %s", len(s.Outbox), s.Outbox[0].ID)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}

// TestImport: the exceptions of a backup are taken, the higher version is kept, and the base map is not touched.
func TestImport(t *testing.T) {
	s := claimed(t)
	of := func(change func(d *routing.Document)) *State {
		d := s.Document.Clone()
		d.Quotas = []routing.Quota{{Tenant: "acme", Rate: 5}}
		change(d)
		return s.Answer(&Request{ID: "i", By: "ann", Reason: "restore", Do: DoImport, IfVersion: s.At().Version, Document: d}, noon())
	}
	for name, tc := range map[string]struct {
		change  func(d *routing.Document)
		version uint64
		refused string
	}{
		"an older one":                {func(d *routing.Document) { d.Version, d.Epoch, d.Tenure = 1, 0, "" }, 3, ""},
		"a newer one":                 {func(d *routing.Document) { d.Version = 90 }, 91, ""},
		"a higher epoch":              {func(d *routing.Document) { d.Epoch = 2 }, 3, "claim"},
		"another fleet":               {func(d *routing.Document) { d.Fleet = "x" }, 3, "fleet"},
		"another map":                 {func(d *routing.Document) { d.Placement.Function = routing.MD5 }, 3, "base map"},
		"of before a shard was added": {func(d *routing.Document) { d.Shards = d.Shards[:4] }, 3, ""},
		"too high an epoch":           {func(d *routing.Document) { d.Epoch = 1<<64 - 2 }, 3, "no fleet gets above"},
		"too high a version":          {func(d *routing.Document) { d.Version = 1<<64 - 1 }, 3, "no fleet gets above"},
		"a renamed one":               {func(d *routing.Document) { d.Shards[4].Name = "other" }, 3, "shards[4]"},
		"one more shard": {func(d *routing.Document) {
			d.Shards = append(d.Shards, routing.Shard{Name: "new", Role: routing.Spare})
		}, 3, ""},
	} {
		n := of(tc.change)
		if err := Follows(s.At(), n); err != nil {
			t.Fatal(err)
		}
		refused := n.Outbox[0].Refused
		if n.At().Version != tc.version || (refused == "") != (tc.refused == "") || !strings.Contains(refused, tc.refused) {
			t.Errorf("%s: version %d, refused %q; want %d, %q", name, n.At().Version, refused, tc.version, tc.refused)
		}
		if (len(n.Document.Quotas) == 1) != (tc.refused == "") || len(n.Document.Shards) < 5 {
			t.Errorf("%s: quotas %v, %d shards", name, n.Document.Quotas, len(n.Document.Shards))
		}
	}
}

// TestRequestsAreChecked before they are put.
func TestRequestsAreChecked(t *testing.T) {
	for name, change := range map[string]func(r *Request){
		"no id": func(r *Request) { r.ID = "" }, "nobody": func(r *Request) { r.By = "" }, "no reason": func(r *Request) { r.Reason = "" },
		"a long reason": func(r *Request) { r.Reason = strings.Repeat("x", 501) }, "nothing": func(r *Request) { r.Do = DoUnknown },
		"no version": func(r *Request) { r.IfVersion = 0 }, "no edits": func(r *Request) { r.Edits = nil }, "no document": func(r *Request) { r.Do = DoImport },
		"a bad document": func(r *Request) { r.Do, r.Document = DoImport, &routing.Document{} },
	} {
		r := set(t, "1", 1, "quota/a=1")
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		change(r)
		if err := r.Validate(); err == nil {
			t.Errorf("%s: taken", name)
		}
		if _, err := r.Encode(); err == nil {
			t.Errorf("%s: encoded", name)
		}
	}
}

// TestWire: what is written is read back, whatever bytes people and names bring along.
func TestWire(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"a", "\xff", `\`, "\x00", "é", "<!channel>", `"`, "a/b"})
		s := claimed(t)
		s.Home = name.Draw(rt, "home")
		for i := range rapid.IntRange(0, 4).Draw(rt, "requests") {
			r := set(t, fmt.Sprint(i, name.Draw(rt, "id")), rapid.SampledFrom([]uint64{1, s.At().Version}).Draw(rt, "version"))
			r.By, r.Reason = name.Draw(rt, "by"), name.Draw(rt, "reason")
			r.Edits = []Edit{{routing.QuotaEntry(name.Draw(rt, "tenant")), "5"}, {routing.CacheEntry("", name.Draw(rt, "key")), "5s"}}
			b, err := r.Encode()
			if err != nil {
				rt.Fatal(err)
			}
			back, err := ParseRequest(b)
			if diff := cmp.Diff(r, back); diff != "" || err != nil {
				rt.Fatalf("%v (-want +got):\n%s", err, diff)
			}
			s = s.Answer(r, noon())
		}
		s.Document.Normalize()
		b, err := s.Encode()
		if err != nil {
			rt.Fatal(err)
		}
		back, err := ParseState(b)
		if diff := cmp.Diff(s, back); diff != "" || err != nil {
			rt.Fatalf("%v (-want +got):\n%s", err, diff)
		}
		c := &Confirmation{name.Draw(rt, "client"), rapid.Uint64().Draw(rt, "epoch"), rapid.Uint64Min(1).Draw(rt, "held"), rapid.Bool().Draw(rt, "guard"), rapid.Uint64().Draw(rt, "beat"), ""}
		b, _ = c.Encode()
		if got, err := ParseConfirmation(b); err != nil || *got != *c {
			rt.Fatalf("%+v, want %+v: %v", got, c, err)
		}
		h := Head{c.Epoch, c.Version, 17, 3}
		b, _ = h.Encode()
		if got, err := ParseHead(b); err != nil || got != h {
			rt.Fatalf("%+v, want %+v: %v", got, h, err)
		}
	})
}

// TestImportedDocumentIsRead: a request carries a whole document.
func TestImportedDocumentIsRead(t *testing.T) {
	r := &Request{ID: "1", By: "ann", At: noon(), Reason: "restore", Do: DoImport, IfVersion: 2, Document: claimed(t).Document}
	b, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseRequest(b)
	if diff := cmp.Diff(r, back); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestRoll: who stops confirming is waited for for a minute of the decider's time, and who takes over waits anew.
func TestRoll(t *testing.T) {
	at := func(s int) time.Time { return noon().Add(time.Duration(s) * time.Second) }
	var r, late Roll
	a, b := Confirmation{Client: "a", Epoch: 1, Version: 7, Beat: 1}, Confirmation{Client: "b", Epoch: 1, Version: 6, Beat: 1}
	names := func(cs []Confirmation) (out string) {
		for _, c := range cs {
			out += c.Client
		}
		return out
	}
	check := func(s int, r *Roll, live int, behind string) {
		t.Helper()
		if l, n := r.Live(at(s)), names(r.Behind(at(s), 7)); l != live || n != behind {
			t.Errorf("at %d s: %d live, %q behind; want %d, %q", s, l, n, live, behind)
		}
	}
	r.Observe(at(0), []Confirmation{a, b})
	check(59, &r, 2, "b")
	a.Beat++
	r.Observe(at(59), []Confirmation{a, b})
	check(60, &r, 1, "")
	late.Observe(at(60), []Confirmation{a, b})
	check(60, &late, 2, "b")
	b.Version, b.Beat = 7, 2
	r.Observe(at(70), []Confirmation{a, b})
	check(70, &r, 2, "")
	r.Observe(at(80), []Confirmation{b})
	check(80, &r, 1, "")
	r.Observe(at(80), []Confirmation{b, {Client: "guard", Epoch: 1, Version: 6, Guard: true}})
	check(80, &r, 1, "guard") // waited for, and no quota is divided by it
	r.Observe(at(80), []Confirmation{b})
	if got := r.Forgotten(at(70).Add(Forgotten)); len(got) != 1 || got[0] != "b" {
		t.Errorf("forgotten %v", got)
	}
}

// TestHeadsNeverGoBack: a head of a lower epoch is not newer, whatever its version.
func TestHeadsNeverGoBack(t *testing.T) {
	held := Head{Epoch: 3, Version: 7}
	for h, want := range map[Head]bool{{Epoch: 3, Version: 8}: true, {Epoch: 4, Version: 8}: true, {Epoch: 3, Version: 7}: false, {Epoch: 2, Version: 9}: false, {Epoch: 4, Version: 7}: false} {
		if h.Newer(held) != want {
			t.Errorf("%+v newer: %v", h, !want)
		}
	}
}

func FuzzParse(f *testing.F) {
	b, err := claimed(f).Answer(set(f, "1", 2, "quota/a=1"), noon()).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	r, _ := set(f, "1", 2, "quota/a=1").Encode()
	f.Add(r)
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := ParseState(b); err == nil {
			if _, err := s.Encode(); err != nil {
				t.Errorf("a state that was read is not written: %v", err)
			}
		}
		if r, err := ParseRequest(b); err == nil {
			if _, err := r.Encode(); err != nil {
				t.Errorf("a request that was read is not written: %v", err)
			}
		}
		_, _ = ParseHead(b)
		_, _ = ParseConfirmation(b)
	})
}
