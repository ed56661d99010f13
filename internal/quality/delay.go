package quality

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

// Delay is how long detection takes at one load and one amount of evidence.
type Delay struct {
	Ratio     float64       // load / line
	Effective float64       // effective samples a minute on the shard
	Limit     time.Duration // that the 99th percentile is promised to keep
	Promised  float64       // power of one full fast window
	Runs      int
	Took      []time.Duration // of the runs in which a verdict fired within latestDelay
}

// rampShards is the size of the fleets that delays are measured on.
const rampShards = 32

// latestDelay is how long a run waits for a verdict.
const latestDelay = 10 * time.Minute

// promisedDelays is the table of what detection promises: 32 shards, volume, no capacity.
func promisedDelays() []Delay {
	cell := func(ratio, effective, seconds float64) Delay {
		line := policy.Default().Lines.Relative
		watch := policy.Watch{Samples: effective / 60 / (ratio * line / rampShards), Shards: rampShards, Line: line}
		return Delay{
			Ratio: ratio, Effective: effective, Limit: time.Duration(seconds) * time.Second,
			Promised: watch.Power(ratio, time.Minute),
		}
	}
	return []Delay{
		cell(1.15, 1000, 281), cell(1.15, 3000, 93), cell(1.2, 300, 312), cell(1.2, 1000, 117), cell(1.3, 300, 184), cell(1.3, 1000, 89),
		cell(1.5, 100, 279), cell(1.5, 300, 92), cell(2, 30, 270), cell(2, 100, 89), cell(3, 30, 117),
	}
}

// Delays measures each promised delay with that many fleets of the seeds from first on.
func Delays(first uint64, runs int) ([]Delay, error) {
	out := promisedDelays()
	for i := range out {
		d := &out[i]
		for run := range runs {
			f, err := ramp(first+uint64(run), d.Ratio, d.Effective)
			if err != nil {
				return nil, err
			}
			d.Runs++
			if after, fired := firstVerdict(f); fired {
				d.Took = append(d.Took, after)
			}
		}
	}
	return out, nil
}

// Quantile is the p-quantile over all runs; ok is false where it lies among those in which nothing fired.
func (d *Delay) Quantile(p float64) (took time.Duration, ok bool) {
	rank := int(math.Ceil(p * float64(d.Runs)))
	if rank < 1 || rank > len(d.Took) {
		return 0, false
	}
	return slices.Sorted(slices.Values(d.Took))[rank-1], true
}

// Late counts the runs that took longer than limit, or found nothing.
func (d *Delay) Late(limit time.Duration) int {
	late := d.Runs - len(d.Took)
	for _, took := range d.Took {
		if took > limit {
			late++
		}
	}
	return late
}

// ramp is a fleet of 32 shards with even small keys, of which shard 0 jumps to ratio times the line at a random moment.
func ramp(seed uint64, ratio, effective float64) (*Fleet, error) {
	const shards, keys, rate = rampShards, 50, 0.01
	doc, err := routing.Adopt("fleet", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(shards))
	if err != nil {
		return nil, fmt.Errorf("delays: %w", err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		return nil, fmt.Errorf("delays: %w", err)
	}
	s := newSource(seed, streamFleet)
	f := &Fleet{Table: table, Header: Header{
		Seed: seed, Kind: KindVolume, Shards: shards, Rate: rate, Clump: 1, Planted: 0,
		Onset: time.Duration(s.between(5.5, 6) * float64(time.Minute)),
	}}
	f.Panes = int((f.Onset + latestDelay) / Pane)
	hot := effective / 60 / rate
	// ratio x 1.5 / shards is the share of the hot one.
	share := ratio * policy.Default().Lines.Relative / shards
	cold := hot * (1 - share) / share / (shards - 1)
	f.Tenants = numbered("tenant-", shards*keys)
	for i := range shards * keys {
		k := Key{Name: "key", Tenant: int32(i), VShard: routing.VShard(i), Before: cold / keys, After: cold / keys, Reads: 0.5}
		if table.Owner(k.VShard) == 0 {
			k.After = hot / keys
		}
		f.Keys = append(f.Keys, k)
	}
	return f, nil
}

// firstVerdict is the delay from the onset to the close of the pane at which shard 0 fires.
func firstVerdict(f *Fleet) (time.Duration, bool) {
	cfg := f.Config()
	c := newCounter(f, false)
	var st policy.State
	for range f.Panes {
		c.next()
		at := time.Duration(c.pane) * Pane
		var d policy.Decision
		d, st = policy.Evaluate(c.snapshot(), &cfg, st, start().Add(at))
		for i := range d.Verdicts {
			if v := &d.Verdicts[i]; v.ShardID == 0 && v.Phase == policy.PhaseFiring && at > f.Onset {
				return at - f.Onset, true
			}
		}
	}
	return 0, false
}

// WriteDelays prints measured delays beside the promised ones.
func WriteDelays(out io.Writer, delays []Delay) error {
	w := &strings.Builder{}
	fmt.Fprintf(w, "\nload/line\tsamples/min\tpower of 1 min\truns\tp50\tp99\tpromised\tlater\t\n")
	for i := range delays {
		d := &delays[i]
		fmt.Fprintf(w, "%g\t%g\t%.3f\t%d\t%s\t%s\t%.0f s\t%d\t\n", d.Ratio, d.Effective, d.Promised, d.Runs, d.text(0.5), d.text(0.99), d.Limit.Seconds(), d.Late(d.Limit))
	}
	return aligned(out, w.String(), tabwriter.AlignRight)
}

// text is a quantile for people.
func (d *Delay) text(p float64) string {
	took, ok := d.Quantile(p)
	if !ok {
		return "missed"
	}
	return fmt.Sprintf("%.0f s", took.Seconds())
}
