package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// ScaleConfig says what to measure of instances that count one log together.
type ScaleConfig struct {
	Load       Load  // Records and Partitions are not looked at: the log is written as it is read
	Partitions []int // each measured
	Instances  int
	Warm       time.Duration // until they are measured
	Length     time.Duration // of the measurement
	Launch     Launch
	Done       func(partitions int) // if set, called when a number of partitions is measured
}

// DefaultScale is what the goals are stated for: four instances, 100,000 records a second.
func DefaultScale() ScaleConfig {
	load := DefaultLoad()
	load.Rate = 100_000
	return ScaleConfig{Load: load, Partitions: []int{12, 64, 256}, Instances: 4, Warm: 20 * time.Second, Length: 30 * time.Second}
}

// Scaled is what was measured with a number of partitions.
type Scaled struct {
	Partitions int
	// Rate is how many records a second the instances counted together.
	Rate float64
	// CPU is the mean share of a core that an instance took, and Nanos the same for each of its records, ns.
	CPU, Nanos float64
	// Follow is the share of a core that it takes to follow the log of deltas, measured by a process that does nothing else.
	Follow float64
	// Traffic is how many bytes of deltas a second all instances published, and Delta the mean of one.
	Traffic, Delta float64
	// Resident is the largest size that an instance had, bytes.
	Resident int64
	// Rejected is how many deltas were.
	Rejected int
}

// Scales has the measurements in the order of ScaleConfig.Partitions.
type Scales []Scaled

// Scale measures. It is an error if the instances count nothing; whether they keep up the rates say.
func Scale(ctx context.Context, cfg ScaleConfig) (Scales, error) {
	var all Scales
	for _, partitions := range cfg.Partitions {
		s, err := cfg.measure(ctx, partitions)
		if err != nil {
			return all, err
		}
		all = append(all, s)
		if cfg.Done != nil {
			cfg.Done(partitions)
		}
	}
	return all, nil
}

// measure measures one number of partitions.
func (c *ScaleConfig) measure(ctx context.Context, partitions int) (s Scaled, err error) {
	load := c.Load
	load.Partitions = partitions
	broker, err := begin(ctx, c.Launch, task{Role: roleBroker, Load: load, Feed: true}, 0)
	if err != nil {
		return s, err
	}
	var log served
	if err := broker.hear(&log); err != nil {
		return s, err
	}
	var all []*child
	defer func() { // the broker last: the instances leave their group
		for _, one := range append(all, broker) {
			err = errors.Join(err, one.end())
		}
	}()
	t := task{Role: roleMember, Load: load, Addr: log.Addr, Group: group("scale")}
	for range c.Instances {
		one, err := begin(ctx, c.Launch, t, 0)
		if err != nil {
			return s, err
		}
		all = append(all, one)
		if err := one.ask(new(Status)); err != nil { // the topics are there
			return s, err
		}
	}
	t.Role = roleFollower
	one, err := begin(ctx, c.Launch, t, 0)
	if err != nil {
		return s, err
	}
	all = append(all, one)
	if err := c.begun(ctx, all); err != nil {
		return s, err
	}
	before, err := c.after(ctx, c.Warm, all)
	if err != nil {
		return s, err
	}
	began := time.Now()
	after, err := c.after(ctx, c.Length, all)
	if err != nil {
		return s, err
	}
	s = sum(before, after, time.Since(began))
	s.Partitions = partitions
	return s, nil
}

// begun waits until the group counts and the follower has seen it.
func (c *ScaleConfig) begun(ctx context.Context, all []*child) error {
	const (
		again = 200 * time.Millisecond
		most  = 2 * time.Minute
	)
	for from := time.Now(); ; {
		stand, err := c.after(ctx, again, all)
		switch last := len(stand) - 1; {
		case err != nil:
			return err
		case stand[0].UpTo > 0 && stand[last].Followed > 0:
			return nil
		case time.Since(from) > most:
			return fmt.Errorf("bench ingest: %d instances counted nothing within %v", c.Instances, most)
		}
	}
}

// after asks all how they stand after a time.
func (c *ScaleConfig) after(ctx context.Context, wait time.Duration, all []*child) ([]Status, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	stand := make([]Status, len(all))
	for i, one := range all {
		if err := one.ask(&stand[i]); err != nil {
			return nil, err
		}
	}
	return stand, nil
}

// sum sums up what happened between two moments; the last of each is the follower's.
func sum(before, after []Status, took time.Duration) (s Scaled) {
	last := len(after) - 1
	records, deltas, cpu, seconds := 0.0, 0.0, 0.0, took.Seconds()
	for i := range after[:last] {
		a, b := &after[i], &before[i]
		records += float64(a.Counted - b.Counted)
		deltas += float64(a.Deltas - b.Deltas)
		s.Traffic += float64(a.Bytes-b.Bytes) / seconds
		cpu += (a.CPU - b.CPU).Seconds()
		s.Resident = max(s.Resident, a.Resident)
	}
	s.Rate, s.CPU, s.Nanos = records/seconds, cpu/seconds/float64(last), cpu/max(1, records)*1e9
	s.Delta = s.Traffic * seconds / max(1, deltas)
	s.Follow = (after[last].CPU - before[last].CPU).Seconds() / seconds
	s.Rejected = after[last].Rejected - before[last].Rejected
	return s
}

// Write prints the table.
func (s Scales) Write(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, err := fmt.Fprintln(out, "partitions\trecords/s\tof a core an instance\tns a record\tof a core to follow\tdeltas KB/s\tKB a delta\trejected\tresident MiB\t")
	for i := range s {
		if err != nil {
			return err
		}
		e := &s[i]
		_, err = fmt.Fprintf(out, "%d\t%.0f\t%.1f%%\t%.0f\t%.1f%%\t%.0f\t%.0f\t%d\t%d\t\n",
			e.Partitions, e.Rate, 100*e.CPU, e.Nanos, 100*e.Follow, e.Traffic/1e3, e.Delta/1e3, e.Rejected, e.Resident>>20)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}
