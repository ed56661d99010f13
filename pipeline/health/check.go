package health

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"firebreak/policy"
)

// Check is what was found of one query of a source.
type Check struct {
	Source string
	Metric policy.Metric
	Detail string // what was read
	Err    error  // why it is of no use
	Mend   string // what to do about it
}

// Check asks every source once and judges what its queries give. All sources are asked at the same time.
func (f *Fleet) Check(ctx context.Context) []Check {
	each := make([][]Check, len(f.sources))
	var all sync.WaitGroup
	for i, s := range f.sources {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, s.timeout)
			defer cancel()
			for _, r := range s.asker.ask(ctx) {
				each[i] = append(each[i], f.check(s.name, &r))
			}
		})
	}
	all.Wait()
	f.hangUp()
	return slices.Concat(each...)
}

// mostShare is the highest share that is one: utilisation may be above 1, per cents are far above.
const mostShare = 2

// check judges the result of one query.
func (f *Fleet) check(source string, r *Result) Check {
	c := Check{Source: source, Metric: r.Metric, Err: r.Err, Mend: "mend the query, the address or the credentials"}
	if r.Err != nil {
		return c
	}
	low, high := r.bounds()
	shards := r.shards()
	strange := ""
	if len(r.Strange) > 0 {
		strange = "; no shard of the fleet: " + r.strangers()
	}
	switch {
	case len(r.Readings) == 0 && len(r.Strange) == 0:
		c.Err, c.Mend = errors.New("it gives nothing"), "look at the query where its data is: there is none now"
	case len(r.Readings) == 0:
		c.Err, c.Mend = errors.New("it names no shard of the fleet: "+r.strangers()), "name the shards by label, regex or shards"
	case share(r.Metric) && (high > mostShare || low < 0):
		c.Err, c.Mend = fmt.Errorf("%.4g to %.4g is no share", low, high), "want 0 to 1: a factor of 0.01 makes a share of per cents"
	default:
		of := ""
		if f.shards != nil {
			of = fmt.Sprintf(" of %d", len(f.shards))
		}
		c.Detail, c.Mend = fmt.Sprintf("%d%s shards, %.4g to %.4g%s%s", shards, of, low, high, unit(r.Metric), strange), ""
	}
	return c
}

// share says whether a metric is a share.
func share(m policy.Metric) bool {
	switch m {
	case policy.MetricUtilization, policy.MetricPool, policy.MetricStorage, policy.MetricDisk, policy.MetricErrors, policy.MetricThrottled:
		return true
	case policy.MetricUnknown, policy.MetricRows, policy.MetricLatency, policy.MetricReplicaLag, policy.MetricServed:
	}
	return false
}

// unit is that of a metric, behind a number.
func unit(m policy.Metric) string {
	if m == policy.MetricLatency || m == policy.MetricReplicaLag {
		return " s"
	}
	if m == policy.MetricServed {
		return " requests/s"
	}
	return ""
}

// bounds are the lowest and the highest value.
func (r *Result) bounds() (low, high float64) {
	for i, v := range r.Readings {
		if i == 0 {
			low, high = v.Value, v.Value
		}
		low, high = min(low, v.Value), max(high, v.Value)
	}
	return low, high
}

// strangers are the strange names.
func (r *Result) strangers() string {
	var names []string
	for _, name := range r.Strange {
		if name == "" {
			name = "a series without the label"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// shards is how many shards were read.
func (r *Result) shards() int {
	seen := map[string]bool{}
	for _, v := range r.Readings {
		seen[v.Shard] = true
	}
	return len(seen)
}
