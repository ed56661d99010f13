package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/routing"
	"firebreak/routing/control"
)

// carry appends what the journal is told of the operation of a fix, for the newest hotspot that was told by then and its plan.
func (c *chronicle) carry(number uint64, fix, machine, by string, at time.Time, entry routing.Entry, steps ...control.Act) {
	c.t.Helper()
	hotspot, plan, shard := "", "", ""
	for i := range c.journal {
		e := &c.journal[i]
		switch {
		case !e.At.Before(at):
		case e.Kind == actuator.KindVerdict:
			v, err := actuator.Read[line.Verdict](e)
			if err != nil {
				c.t.Fatal(err)
			}
			hotspot, shard = e.Hotspot, string(v.Shard)
		case e.Kind == actuator.KindPlan && e.Hotspot == hotspot:
			p, err := actuator.Read[line.Plan](e)
			if err != nil {
				c.t.Fatal(err)
			}
			plan = string(p.ID)
		}
	}
	for i, act := range steps {
		act.Fix, act.Machine, act.Shard = fix, machine, shard
		n := &control.Note{ID: fmt.Sprintf("op-%d-%d", number, i), At: at.Add(time.Duration(i) * 5 * time.Minute), Do: control.DoAct, By: by, Plan: plan, Hotspot: hotspot, Operation: number, Act: act}
		switch act.Phase {
		case "flip", "writers":
			n.Changes = []routing.Change{{Entry: entry, Is: "set"}}
		case "restore", "leave":
			n.Changes = []routing.Change{{Entry: entry, Was: "set"}}
		}
		e, err := actuator.NewRouted(c.name, n, false, nil)
		if err != nil {
			c.t.Fatal(err)
		}
		c.journal = append(c.journal, e)
	}
	slices.SortStableFunc(c.journal, func(a, b actuator.Entry) int { return a.At.Compare(b.At) })
}

// actedWeek is the busy week in which firebreak acted: a salt that helped and stays, an isolation that did not and was taken back, and one
// that waits for a client.
func actedWeek(t *testing.T) *chronicle {
	t.Helper()
	c := busyWeek(t)
	c.cfg.UndoDelay = 30 * time.Minute
	c.carry(1, "salt", "salt", "ann", c.minute(70), routing.SaltEntry("", "cart:42"),
		control.Act{Phase: "planned", Text: "operation 1 is planned"}, control.Act{Phase: "readers", Text: "readers read all pieces"}, control.Act{Phase: "writers", Text: "writers write to all pieces"},
		control.Act{Phase: "settle", Text: "the effect is watched"}, control.Act{Phase: "grace", Outcome: "effective", Text: "the hottest shard is at 60 % of its target", Before: 1.2, After: 0.6})
	c.carry(2, "isolate", "move", "", c.minute(85), routing.TenantEntry("shop-9"),
		control.Act{Phase: "flip", Text: "clients are sent to the new shards"}, control.Act{Phase: "settle", Text: "watched"},
		control.Act{Phase: "grace", Outcome: "no_effect", Text: "as hot as before", Before: 1.1, After: 1.1}, control.Act{Phase: "grace", Outcome: "no_effect", Call: control.CallNeeded, Text: "it had no effect: as hot as before"},
		control.Act{Phase: "restore", Back: true, Text: "its entries are as they were"}, control.Act{Phase: "restore", Call: control.CallOver, Text: "it was so"}, control.Act{Phase: "undone", Back: true, Outcome: "undone", Text: "ann: no effect"})
	c.carry(3, "isolate", "move", "<b>bob</b>", c.minute(87), routing.TenantEntry("shop-7"), control.Act{Phase: "flip", Text: "clients are sent to the new shards"},
		control.Act{Phase: "flip", Call: control.CallNeeded, Text: "it waits in phase flip for longer than 10 minutes: waiting for app-1"})
	return c
}

// TestRemapTable: each operation with what was promised and measured, who approved it, how long its hotspot lasted, and what became of it;
// then what was taken back, and what is of no use any more.
func TestRemapTable(t *testing.T) {
	run := &Run{Fleets: []Fleet{actedWeek(t).week(60, 120)}}
	page, root := rendered(t, run)
	if bytes.Contains([]byte(page), []byte("<b>bob</b>")) {
		t.Error("a name is markup")
	}
	var text, data bytes.Buffer
	if err := Markdown(&text, run); err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(text.String(), "### Remapped\n")
	table, _, _ := strings.Cut(after, "### ")
	if err := JSON(&data, run); err != nil {
		t.Fatal(err)
	}
	var d struct {
		Fleets []struct {
			Remaps   json.RawMessage `json:"remaps"`
			Stranded json.RawMessage `json:"stranded"`
			Salts    json.RawMessage `json:"salts_to_lower"`
		} `json:"fleets"`
	}
	if err := json.Unmarshal(data.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	var pretty bytes.Buffer
	for _, part := range []json.RawMessage{d.Fleets[0].Remaps, d.Fleets[0].Stranded, d.Fleets[0].Salts} {
		if err := json.Indent(&pretty, part, "", " "); err != nil {
			t.Fatal(err)
		}
		pretty.WriteByte('\n')
	}
	golden(t, "week-acted.md", table)
	golden(t, "week-acted.json", pretty.String())
	for _, want := range []string{"by itself", "firebreak actions rollback 3", "is stranded", "can be lowered", "1 of 3 operations taken back", "Operation 1: effective."} {
		if !strings.Contains(reading(root), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestRemapsAreOfTheirPeriod: an operation is in the report of the period in which it did something, and what is of use yet is not said to
// be of none.
func TestRemapsAreOfTheirPeriod(t *testing.T) {
	c := actedWeek(t)
	for _, p := range []struct {
		from, to, operations, useless int
	}{{10, 60, 0, 0}, {60, 84, 1, 0}, {60, 122, 3, 2}, {100, 110, 1, 1}} {
		w := c.week(p.from, p.to).Week
		if n := len(w.operations()); n != p.operations {
			t.Errorf("minutes %d to %d: %d operations, want %d", p.from, p.to, n, p.operations)
		}
		if n := len(w.useless(routing.EntryTenant)) + len(w.useless(routing.EntrySalt)); n != p.useless {
			t.Errorf("minutes %d to %d: %d of no use, want %d", p.from, p.to, n, p.useless)
		}
	}
}
