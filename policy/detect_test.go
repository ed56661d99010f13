package policy

import (
	"testing"
	"time"
)

// TestRevise: what a hotspot was told to be changes only if that lasts, or upgrades an answer that was none.
func TestRevise(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	key := Answer{Cause: CauseHotKey, Key: "K", Fix: FixSalt}
	volume := Answer{Cause: CauseVolume, Fix: FixSplit}
	unknown := Answer{}
	guess := Answer{Fix: FixSalt}
	tests := []struct {
		name  string
		told  Answer
		says  []Answer // one a minute
		taken int      // index of the first that is taken over; -1 = none
	}{
		{"the same", key, []Answer{key, key, key}, -1},
		{"another cause must last five minutes", key, []Answer{volume, volume, volume, volume, volume, volume}, 5},
		{"a break begins anew", key, []Answer{volume, volume, volume, volume, key, volume, volume}, -1},
		{"unknown never replaces a cause", key, []Answer{unknown, unknown, unknown, unknown, unknown, unknown, unknown}, -1},
		{"unknown is upgraded at once", unknown, []Answer{key}, 0},
		{"none is upgraded at once", Answer{Cause: CauseHotKey, Key: "K"}, []Answer{key}, 0},
		{"a fix that every reading shares is shown at once", unknown, []Answer{guess}, 0},
		{"and taken back only if that lasts", guess, []Answer{unknown, unknown, unknown, unknown, unknown, unknown}, 5},
		{"another object must last", key, []Answer{
			{Cause: CauseHotKey, Key: "L", Fix: FixSalt}, {Cause: CauseHotKey, Key: "L", Fix: FixSalt}, {Cause: CauseHotKey, Key: "M", Fix: FixSalt},
		}, -1},
	}
	for _, test := range tests {
		h := Hotspot{Told: test.told}
		taken := -1
		for i, a := range test.says {
			if h.revise(a, &finding{}, start.Add(time.Duration(i)*time.Minute), 5*time.Minute) {
				taken = i
				break
			}
		}
		if taken != test.taken {
			t.Errorf("%s: taken over at %d, want %d", test.name, taken, test.taken)
		}
	}
}

// TestReviseAnyTrueContributor: of several true contributors any may stand first.
func TestReviseAnyTrueContributor(t *testing.T) {
	h := Hotspot{Told: Answer{Cause: CauseHotKey, Key: "K", Fix: FixSalt}}
	f := finding{contributors: []item{{key: &Contributor{Key: "L"}}, {key: &Contributor{Key: "K"}}}}
	for i := range 10 {
		now := time.Unix(int64(i)*60, 0)
		if h.revise(Answer{Cause: CauseHotKey, Key: "L", Fix: FixSalt}, &f, now, 5*time.Minute) {
			t.Fatalf("after %d minutes L replaced K, which is still a contributor", i)
		}
	}
}

// TestHotspotID: the same for every instance, another for another fleet, shard or onset, whatever the bytes.
func TestHotspotID(t *testing.T) {
	at := time.Unix(1_767_225_600, 0)
	id := hotspotID("a", "bc", at)
	if id != hotspotID("a", "bc", at) {
		t.Error("not deterministic")
	}
	for _, other := range []string{hotspotID("ab", "c", at), hotspotID("a", "bd", at), hotspotID("a", "bc", at.Add(time.Second))} {
		if other == id {
			t.Errorf("%s is given twice", id)
		}
	}
}

// TestWaited: numbers must hold for all of `for`; bounds for all of it on thin evidence, for all but a pane of it where
// evidence is plenty, and at two closes far over the line.
func TestWaited(t *testing.T) {
	end := time.Unix(1_767_225_600, 0)
	cfg := Default()
	w := &watcher{s: &Snapshot{Pane: 10 * time.Second, Panes: []Pane{{Start: end.Add(-10 * time.Second)}}}, cfg: &cfg}
	for _, test := range []struct {
		name          string
		since, proved int // seconds before the newest close
		test          closeTest
		want          bool
	}{
		{"thin, proved for all of it", 30, 30, closeTest{rate: 1.5, samples: 60}, true},
		{"thin, proved a pane later", 40, 20, closeTest{rate: 1.5, samples: 60}, false},
		{"plenty, proved a pane later", 40, 20, closeTest{rate: 1.5, samples: 100}, true},
		{"plenty, proved two panes later", 40, 10, closeTest{rate: 1.5, samples: 5000}, false},
		{"plenty, over the line for too short", 20, 20, closeTest{rate: 1.5, samples: 5000}, false},
		{"far over it, proved at two closes", 30, 10, closeTest{rate: 3, samples: 60}, true},
		{"far over it, proved at one", 30, 0, closeTest{rate: 3, samples: 60}, false},
		{"a surge", 0, 0, closeTest{rate: 2.5, samples: 5000, surge: true}, true},
	} {
		test.test.limit.line = 1
		track := Track{Since: end.Add(-time.Duration(test.since) * time.Second), Proved: end.Add(-time.Duration(test.proved) * time.Second)}
		if got := w.waited(&track, test.test); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestProvedByItsPanes: a shard at less than half of its line jumps to twice of it. A minute that still holds what was before is over the
// line half a minute later; its own panes are at once, and `for` begins with them.
func TestProvedByItsPanes(t *testing.T) {
	const onset = 12
	f := newTestFleet(t, 16, "key", even(1000, 48000)...)
	f.cfg.Capacity.Total = 10000
	f.streams = append(f.streams, f.volume(3, 400, 11000, 0.5, onset)...)
	for pane := range 30 {
		if d := f.tick(); len(d.Verdicts) > 0 {
			if after := 10 * (pane + 1 - onset); after != 50 {
				t.Errorf("fired after %d s, want 50", after)
			}
			return
		}
	}
	t.Error("it never fired")
}
