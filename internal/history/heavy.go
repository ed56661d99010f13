package history

import (
	"cmp"
	"slices"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

// maxPeakNames bounds the names of the tenants in Peaks, in bytes: with the rest the minute stays one value of the log.
const maxPeakNames = 256 << 10

// minuteAt makes the minute of the panes of a tick that begin in it; false where there are none.
func minuteAt(t *Tick, start time.Time) (*Minute, bool) {
	s := t.Snapshot
	from, to := len(s.Panes), 0
	for i := range s.Panes {
		if at := s.Panes[i].Start; !at.Before(start) && at.Before(start.Add(time.Minute)) {
			from, to = min(from, i), i+1
		}
	}
	if from >= to {
		return nil, false
	}
	m := &Minute{
		Fleet: s.Fleet, Start: start, Covered: time.Duration(to-from) * s.Pane, Judged: s.Panes[len(s.Panes)-1].Start.Add(s.Pane).UTC(),
		Blind: t.Decision.Blind, Coverage: s.Inputs.Coverage, Lag: s.Inputs.Lag, Missing: len(s.Inputs.Missing), Firing: len(t.Decision.Open),
		Keys: t.Keys, Tenants: t.Tenants,
	}
	total := 0.0
	for i := range s.Panes[from:to] {
		for j := range s.Panes[from+i].VShards {
			v := &s.Panes[from+i].VShards[j]
			total += v.Load
			m.Samples += v.Records
		}
	}
	seconds := m.Covered.Seconds()
	m.Load = rounded(total / seconds)
	m.shards(t, from, to)
	m.TopKeys = heaviest(s, s.Keys, from, to, total)
	m.Top = heaviest(s, s.Tenants, from, to, total)
	return m, true
}

// shards measures every shard and the fleet.
func (m *Minute) shards(t *Tick, from, to int) {
	m.Shards = shardsOf(t, from, to)
	serving, sum := 0, 0.0
	for i := range m.Shards {
		if m.Shards[i].Role != routing.Serving {
			continue
		}
		serving++
		sum += m.Shards[i].Load
		m.Hottest = max(m.Hottest, m.Shards[i].Load)
	}
	if serving > 0 {
		m.Mean = rounded(sum / float64(serving))
	}
}

// heaviest lists the contributors with the most load in the panes [from, to), where the whole fleet has total.
func heaviest(s *policy.Snapshot, list []policy.Contributor, from, to int, total float64) []Heavy {
	type sized struct {
		*policy.Contributor

		panes []policy.Sums
		sum   policy.Sums
		load  float64
	}
	seconds := float64(to-from) * s.Pane.Seconds()
	var all []sized
	for i := range list {
		panes := cutPanes(list[i].Panes, len(s.Panes), from, to)
		if sum := sumOf(panes); sum.Load > 0 {
			all = append(all, sized{&list[i], panes, sum, rounded(sum.Load / seconds)})
		}
	}
	slices.SortFunc(all, func(a, b sized) int {
		return cmp.Or(cmp.Compare(b.load, a.load), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Tenant, b.Tenant))
	})
	var out []Heavy
	for i := range all[:min(TopNames, len(all))] { // of these only: bounds take their time
		c := &all[i]
		out = append(out, Heavy{
			Key: c.Key, Tenant: c.Tenant, Load: c.load, Share: policy.ShareOf(c.panes, total),
			Reads: rounded(c.sum.Reads / seconds), Writes: rounded(c.sum.Writes / seconds),
		})
	}
	return out
}

// cutPanes is what a contributor has in the panes [from, to) of n: its own are aligned at the newest.
func cutPanes(panes []policy.Sums, n, from, to int) []policy.Sums {
	first := n - len(panes)
	from, to = max(0, from-first), to-first
	if to <= from {
		return nil
	}
	return panes[from:to]
}

func sumOf(panes []policy.Sums) (sum policy.Sums) {
	for i := range panes {
		sum.Load += panes[i].Load
		sum.Reads += panes[i].Reads
		sum.Writes += panes[i].Writes
	}
	return sum
}

// peaks takes the rate of each listed tenant over the long window, once the window is full: over less of it a burst of
// seconds would count as minutes.
func (m *Minute) peaks(t *Tick) {
	s := t.Snapshot
	if len(s.Panes) < t.Config.LongPanes {
		return
	}
	seconds := float64(len(s.Panes)) * s.Pane.Seconds()
	for i := range s.Tenants {
		if sum := sumOf(s.Tenants[i].Panes); sum.Load > 0 && s.Tenants[i].Tenant != "" {
			m.Peaks = append(m.Peaks, Peak{s.Tenants[i].Tenant, rounded(sum.Load / seconds)})
		}
	}
	slices.SortFunc(m.Peaks, func(a, b Peak) int {
		return cmp.Or(cmp.Compare(b.Rate, a.Rate), cmp.Compare(a.Tenant, b.Tenant))
	})
	names := 0
	for i := range m.Peaks {
		if names += len(m.Peaks[i].Tenant) + 16; names > maxPeakNames {
			m.Unlisted = len(m.Peaks) - i
			m.Peaks = m.Peaks[:i]
			return
		}
	}
}
