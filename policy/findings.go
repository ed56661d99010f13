package policy

import (
	"fmt"
	"slices"

	"firebreak/routing"
)

const (
	// skewNoticed is the imbalance from which cold skew is worth a line.
	skewNoticed = 1.5
	// pieceSkew is the max / mean over the pieces of a salt from which its suffix is skewed.
	pieceSkew = 1.5
	// unratedNoticed is the share of records without a rate worth a line.
	unratedNoticed = 0.001
	// rateNoticed is the factor between the default rate and the logged ones
	// from which the default looks wrong.
	rateNoticed = 5
)

// findings are true and wake nobody.
func (w *watcher) findings() []Finding {
	out := w.coldSkew()
	out = append(out, pieceFindings(w.s)...)
	if u := w.s.Inputs.Unrated; u > unratedNoticed {
		out = append(out, Finding{Reason: fmt.Sprintf("%s of the records lack a rate and count with the default: if that is wrong, so is their load", percent(u))})
	}
	out = append(out, rateFindings(&w.s.Inputs)...)
	return append(out, UnreadFindings(w.s.World.Unread)...)
}

// rateFindings: a default rate that is far from what the log's own records say
// is probably a mistake, and whoever lacks a rate then looks far too hot or cold.
func rateFindings(in *Inputs) []Finding {
	if in.Unrated <= unratedNoticed || in.LoggedRate <= 0 || in.DefaultRate <= 0 {
		return nil
	}
	off := in.DefaultRate / in.LoggedRate
	if off < 1 {
		off = 1 / off
	}
	if off < rateNoticed {
		return nil
	}
	return []Finding{{Reason: fmt.Sprintf("records without a rate count as 1 in %s, those with one say 1 in %s: the default looks wrong by %s",
		rate(1/in.DefaultRate), rate(1/in.LoggedRate), times(off))}}
}

// coldSkew: one shard has far more than the mean, and is far from its capacity.
func (w *watcher) coldSkew() []Finding {
	var out []Finding
	doc := w.s.Table.Document()
	for i, v := range w.views {
		level := hotLevel / float64(max(1, len(v.serving)))
		for _, id := range v.serving {
			lim, ok := v.limitOf(id, w.fast[i])
			if !ok || lim.capacity == 0 || w.st.Detection.Shards[doc.Shards[id].Name].Hotspot != nil {
				continue
			}
			a := w.fast[i].shards[id]
			s := share{a, w.fast[i].total.minus(a)}
			if s.above(skewNoticed/float64(len(v.serving)), level) && a.load < lim.line*w.fast[i].seconds {
				out = append(out, Finding{
					Shard: doc.Shards[id].Name,
					Reason: fmt.Sprintf("%s the mean, but only %s of its capacity, under its line",
						times(ratio(a.load/w.fast[i].seconds, v.mean(w.fast[i]))), percent(ratio(a.load/w.fast[i].seconds, lim.capacity))),
				})
			}
		}
	}
	return out
}

// pieceFindings: the pieces of a salt should carry the same; a skewed suffix
// means that a writer does not pick at random.
func pieceFindings(s *Snapshot) []Finding {
	var out []Finding
	for i := range s.Keys {
		c := &s.Keys[i]
		if len(c.Pieces) < 2 {
			continue
		}
		var all Sums
		for _, p := range c.Pieces {
			all = all.plus(p.Sums)
		}
		heaviest := slices.MaxFunc(c.Pieces, func(a, b Piece) int {
			return compare(a.Load, b.Load, routing.ShardID(b.Suffix), routing.ShardID(a.Suffix))
		})
		part := share{amount{heaviest.Load, heaviest.Variance}, amount{all.Load - heaviest.Load, all.Variance - heaviest.Variance}}
		if part.above(pieceSkew/float64(len(c.Pieces)), hotLevel) {
			out = append(out, Finding{Reason: fmt.Sprintf("piece %d of salted key %q carries %s of it, %d pieces should carry %s each: its writers do not pick at random",
				heaviest.Suffix, c.Key, percent(part.value()), len(c.Pieces), percent(1/float64(len(c.Pieces))))})
		}
	}
	return out
}
