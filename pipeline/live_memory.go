package pipeline

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"firebreak/policy"
)

// remember takes over the memory of a checkpoint if the windows are the group's, and as far as it, or one pane further. Its
// error is that of load.
func (l *Live) remember(c *Checkpoint) error {
	if len(c.Watch) == 0 {
		return nil
	}
	l.memory = c
	for i, f := range l.ledger.fleets {
		fc := c.fleet(f)
		if fc == nil || !fc.Begun {
			continue
		}
		if !l.whole(f) || f.closed < fc.Closed || f.closed > fc.Closed+1 || f.closed > fc.Closed && l.latest[i].closed != f.closed {
			return nil
		}
	}
	return l.load(c)
}

// whole tells whether all that a fleet's window says of panes and of coverage is of what was seen here.
func (l *Live) whole(f *sharedFleet) bool {
	return l.since.IsZero() || f.Panes() >= f.live.LongPanes() && l.ledger.at.Sub(l.since) > f.live.Window+f.live.Pane
}

func (c *Checkpoint) fleet(f *sharedFleet) *FleetCheckpoint {
	for i := range c.Fleets {
		if fc := &c.Fleets[i]; fc.Name == f.live.Fleet && fc.Print == f.print {
			return fc
		}
	}
	return nil
}

// load takes over a memory and judges what closed since. A memory that cannot be read, of another version or damaged, is
// none: watching begins anew, and the error says why. So does that of the sink, whose memory may be unreadable alone.
func (l *Live) load(c *Checkpoint) error {
	l.sure, l.memory = true, nil
	if c == nil || len(c.Watch) == 0 {
		return nil
	}
	var w watchMemory
	if err := gob.NewDecoder(bytes.NewReader(c.Watch)).Decode(&w); err != nil {
		return fmt.Errorf("memory of watching: %w", err)
	}
	for i, f := range l.ledger.fleets {
		if st, ok := w.States[f.live.Fleet]; ok {
			l.states[i] = st
		}
	}
	err := l.sink.Load(w.Sink)
	if err != nil {
		err = fmt.Errorf("memory of the journal: %w", err)
	}
	for i, f := range l.ledger.fleets {
		if fc := c.fleet(f); fc != nil && fc.Begun && f.begun && f.closed > fc.Closed && l.latest[i].snapshot != nil {
			l.evaluate(i, &l.latest[i])
		}
		l.latest[i] = moment{}
	}
	return err
}

// watchMemory is Checkpoint.Watch: gob, which keeps names as the bytes they are.
type watchMemory struct {
	States map[string]policy.State
	Sink   []byte
}

// TakeOver makes the newest known memory the group's, where there is nobody left to ask. Its error says that this memory, or
// that of the sink, cannot be read: then watching, or the sink, began anew.
func (l *Live) TakeOver() error {
	if l.sure {
		return nil
	}
	return l.load(l.memory)
}

// Checkpoint is the wire form of the state as it stands. Where it would be larger than an entry of the log may be, plans are
// left out: they are made anew.
func (l *Live) Checkpoint() ([]byte, error) {
	c := l.ledger.Checkpoint()
	memory, err := l.sink.Save()
	if err != nil {
		return nil, fmt.Errorf("checkpoint: memory of the journal: %w", err)
	}
	w := watchMemory{States: map[string]policy.State{}, Sink: memory}
	for i, f := range l.ledger.fleets {
		w.States[f.live.Fleet] = l.states[i]
	}
	var b []byte
	for range 2 {
		var watch bytes.Buffer
		if err := gob.NewEncoder(&watch).Encode(&w); err != nil {
			return nil, fmt.Errorf("checkpoint: memory of watching: %w", err)
		}
		c.Watch = watch.Bytes()
		if b = c.Append(nil); len(b) <= MaxDelta {
			break
		}
		for name, st := range w.States {
			w.States[name] = unplanned(st)
		}
	}
	return b, nil
}

// unplanned is a state without plans.
func unplanned(st policy.State) policy.State {
	shards := make(map[string]policy.Track, len(st.Detection.Shards))
	for name, track := range st.Detection.Shards {
		if track.Hotspot != nil {
			h := *track.Hotspot
			h.Plan = nil
			track.Hotspot = &h
		}
		shards[name] = track
	}
	st.Detection.Shards = shards
	return st
}
