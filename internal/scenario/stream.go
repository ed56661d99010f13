package scenario

import (
	"math"
	"time"
)

// streamSpec is a source of requests as a story declares it.
type streamSpec struct {
	kind, name string
	tenant     string
	rate       float64 // requests/s
	reads      float64 // share of them
	keys       int
	tenants    int     // its keys are dealt to that many tenants; 0 = one
	top        float64 // share of its first key; 0 = like all others
	zipf       float64 // exponent; 0 = all keys alike
	shard      string  // that all its keys fall on
	vshard     bool    // all its keys fall on one virtual shard
	logged     string  // shard that the log names instead of the right one
	skew       float64 // share of a salted key's writes that its bare piece gets; 0 = all alike
	caller     string
	callers    float64 // share of the requests that caller sends
	clump      int     // lines that each arrival brings
	sample     float64 // 0 = every request is logged
	unrated    float64 // share of lines that lack their rate
	fresh      bool    // every line has a key of its own, in ascending order
	partition  int
	shape      shape
}

// parseStream reads a key, tenant or volume line.
func parseStream(kind string, a *args) streamSpec {
	s := streamSpec{
		kind: kind, name: a.name(""), rate: a.rate("rate"), reads: a.share("reads", 0), keys: a.integer("keys", 1), tenants: a.integer("tenants", 0),
		tenant: a.word("tenant", ""), top: a.share("top", 0), zipf: a.rate("zipf"), shard: a.word("shard", ""), logged: a.word("logged", ""),
		vshard: a.flag("vshard"), skew: a.share("skew", 0), caller: a.word("caller", ""), callers: a.share("callers", 1), clump: a.integer("clump", 1),
		sample: a.sample("sample"), unrated: a.share("unrated", 0), partition: a.integer("partition", 0),
		fresh: a.flag("fresh"),
	}
	s.shape.from, s.shape.until = a.duration("from", 0), a.duration("until", 0)
	s.shape.ramp = a.duration("ramp", 0)
	s.shape.on, s.shape.off = pair(a, "flap", time.ParseDuration)
	if wave := a.words("wave"); len(wave) == 2 {
		w := newArgs(a.what, []Arg{{"wave", wave[:1]}, {"period", wave[1:]}})
		s.shape.swing, s.shape.period = w.share("wave", 0), w.duration("period", 0)
		a.errs = append(a.errs, w.errs...)
	}
	if kind == "tenant" && s.tenant == "" {
		s.tenant = s.name
	}
	for _, n := range []struct {
		name        string
		into        *int
		least, most int
	}{{"keys", &s.keys, 1, 1 << 20}, {"clump", &s.clump, 1, 1000}, {"tenants", &s.tenants, 0, 1 << 20}, {"partition", &s.partition, 0, 1000}} {
		if *n.into < n.least || *n.into > n.most {
			a.bad("%s: %d, want %d to %d", n.name, *n.into, n.least, n.most)
			*n.into = n.least
		}
	}
	return s
}

// pair reads two values of one argument.
func pair[T any](a *args, key string, parse func(string) (T, error)) (x, y T) {
	vals := a.words(key)
	if len(vals) == 0 {
		return x, y
	}
	if len(vals) != 2 {
		a.bad("%s has %d values, want two", key, len(vals))
		return x, y
	}
	for i, into := range []*T{&x, &y} {
		v, err := parse(vals[i])
		if err != nil {
			a.bad("%s: %w", key, err)
		}
		*into = v
	}
	return x, y
}

// shape is how a stream's rate moves. The zero value is constant and for ever.
type shape struct {
	from, until time.Duration // until 0 = for ever
	ramp        time.Duration // from nothing at from to all of it
	on, off     time.Duration // flapping, on first
	swing       float64       // of a wave, share of the rate
	period      time.Duration
}

// factor is the part of the rate at a moment.
func (s *shape) factor(at time.Duration) float64 {
	if at < s.from || s.until > 0 && at >= s.until {
		return 0
	}
	f := 1.0
	since := at - s.from
	if s.on > 0 && since%(s.on+s.off) >= s.on {
		return 0
	}
	if s.ramp > 0 {
		f = min(1, since.Seconds()/s.ramp.Seconds())
	}
	if s.period > 0 {
		f *= 1 + s.swing*math.Sin(2*math.Pi*since.Seconds()/s.period.Seconds())
	}
	return f
}

// slices of a pane: the steps on which a shape is looked at.
const slices10 = 20

// profile is the shape over one pane: the sum of the factors of its steps, each weighted by the step's seconds, up to and
// including it. The last one is the stream's seconds of full rate in the pane.
type profile [slices10]float64

func (s *shape) over(start, pane time.Duration) profile {
	var p profile
	step := pane / slices10
	sum := 0.0
	for i := range p {
		sum += s.factor(start+step*time.Duration(i)+step/2) * step.Seconds()
		p[i] = sum
	}
	return p
}

func (p *profile) seconds() float64 { return p[slices10-1] }

// at is the moment in the pane by which the share x of its requests has come, 0 <= x < 1.
func (p *profile) at(x float64, pane time.Duration) time.Duration {
	want := x * p.seconds()
	before := 0.0
	for i, sum := range p {
		if want < sum {
			return time.Duration((float64(i) + (want-before)/(sum-before)) * float64(pane) / slices10)
		}
		before = sum
	}
	return pane - 1
}
