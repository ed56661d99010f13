package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"firebreak/actuator/notify"
	"firebreak/internal/words"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// replayFlags are the flags of replay as typed; empty = not given.
type replayFlags struct {
	config, format, document, place, hash, sampling, from, to, failOn, output, report string

	shards, vshards     int
	capacity            float64
	window, pane, fires time.Duration
	warmup              time.Duration
	whole, exact        bool
	ask                 []string
	changed             func(flag string) bool
	fromNanos, toNanos  int64
	owners              notify.Owners // of the configuration
}

// newReplayCommand builds `firebreak replay`: judge recorded logs with the code that judges live ones.
func newReplayCommand() *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:   "replay [flags] FILE... | -",
		Short: "Judge a recorded request log: hot shards, causes, fixes",
		Long: `Judge a recorded request log with the code that judges a live one. Event time drives it. Each FILE (plain, gzip, zstd
or xz) is one partition of the log; they are merged by time. - is standard input.

The format is found by the first lines, unless --format or the configuration says it. Without --place, --shards or a
configuration the shards are those that the log names; if it names none, the heaviest keys and tenants are listed.`,
		Example: `  firebreak replay --shards 16 access.log.gz
  firebreak replay --shards 16 --place tenant --capacity 8000 --output json part-*.csv.zst
  firebreak replay --place explicit --whole -
  firebreak replay --shards 16 --report out.html access.log.gz
  firebreak replay --shards 16 --ask key=/checkout access.log.gz`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			flags.changed = cmd.Flags().Changed
			return runReplay(cmd, &flags, files)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.config, "config", "", "configuration file (YAML); flags go before it")
	f.StringVar(&flags.format, "format", "", "json, csv, tsv, combined, logfmt, or a preset: canonical, envoy-json, nginx-json")
	f.IntVar(&flags.shards, "shards", defaultShards, "shards of the fleet")
	f.IntVar(&flags.vshards, "vshards", 0, "virtual shards; a multiple of the shards (default the smallest of at least 10,240)")
	f.StringVar(&flags.document, "document", "", "routing document (JSON, as firebreak route export writes it) that says where keys live, instead of --place, --shards, --hash and --vshards")
	f.StringVar(&flags.place, "place", "", "what places a record: key, tenant, tenant,key, or explicit (the log names the shard)")
	f.StringVar(&flags.hash, "hash", "xxh64", "placement function: xxh64, md5, crc32, fnv1a, redis-slot, kafka-murmur2, cassandra-murmur3, jump")
	f.Float64Var(&flags.capacity, "capacity", 0, "requests/s that one shard can bear")
	f.StringVar(&flags.sampling, "sampling", "unknown", "how the lines were chosen: none, independent, by_trace, unknown")
	f.DurationVar(&flags.window, "window", 5*time.Minute, "the long window; the fast one is six panes")
	f.DurationVar(&flags.pane, "pane", 10*time.Second, "length of a pane")
	f.DurationVar(&flags.fires, "for", 30*time.Second, "how long a shard is over its line before it fires")
	f.DurationVar(&flags.warmup, "warmup", 0, "what must have been seen before anything fires, at most the window; 0s judges partial windows (default 1m, or the window if that is shorter)")
	f.StringVar(&flags.from, "from", "", "leave out records before this time (RFC 3339, or ms since 1970)")
	f.StringVar(&flags.to, "to", "", "leave out records from this time on")
	f.BoolVar(&flags.whole, "whole", false, "judge the whole input as one window")
	f.BoolVar(&flags.exact, "exact", false, "count exactly beside the sketch, in memory that grows, and say how far it was off")
	f.StringArrayVar(&flags.ask, "ask", nil, "what a name has in the last window: key=K, tenant=T or tenant=T,key=K; may be repeated")
	f.StringVar(&flags.failOn, "fail-on", "", "hotspot: exit with 3 if one fired")
	addScenario(cmd)
	addReport(cmd, &flags.report)
	f.StringVar(&flags.output, "output", "text", "text or json (one object a line)")
	return cmd
}

// defaultShards is the number of shards where a placement is asked for without one.
const defaultShards = 16

// check judges the flags that stand for themselves.
func (r *replayFlags) check() error {
	if r.output != "text" && r.output != "json" {
		return wrong("output", r.output, "text or json")
	}
	if r.format != "" && !slices.Contains(formatWords(), r.format) {
		return unknown("format", r.format, formatWords())
	}
	if r.failOn != "" && r.failOn != "hotspot" {
		return wrong("fail-on", r.failOn, "hotspot")
	}
	if r.shards < 1 || r.shards > routing.MaxShards {
		return wrong("shards", strconv.Itoa(r.shards), fmt.Sprintf("1 to %d", routing.MaxShards))
	}
	if r.changed("capacity") && !(r.capacity > 0 && r.capacity <= mostRate) {
		return wrong("capacity", strconv.FormatFloat(r.capacity, 'g', -1, 64), "requests/s above 0 and at most 1e12, such as 8000")
	}
	for _, d := range []struct {
		flag  string
		value time.Duration
		zero  bool
	}{{"window", r.window, false}, {"pane", r.pane, false}, {"for", r.fires, true}, {"warmup", r.warmup, true}} {
		if d.value < 0 || d.value == 0 && !d.zero {
			return wrong(d.flag, d.value.String(), "a time above 0")
		}
	}
	if _, err := r.questions(); err != nil {
		return err
	}
	return r.cut()
}

// cut reads --from and --to.
func (r *replayFlags) cut() error {
	for _, t := range []struct {
		flag, value string
		into        *int64
	}{{"from", r.from, &r.fromNanos}, {"to", r.to, &r.toNanos}} {
		if t.value == "" {
			continue
		}
		if ms, err := strconv.ParseInt(t.value, 10, 64); err == nil {
			*t.into = time.UnixMilli(ms).UnixNano()
			continue
		}
		at, err := time.Parse(time.RFC3339Nano, t.value)
		if err != nil {
			return wrong(t.flag, t.value, "RFC 3339, such as 2015-09-12T06:55:00Z, or ms since 1970")
		}
		*t.into = at.UnixNano()
	}
	if r.from != "" && r.to != "" && r.fromNanos >= r.toNanos {
		return wrong("to", r.to, "a time after --from")
	}
	return nil
}

// inside says whether a record's time is within --from and --to; records without a time are.
func (r *replayFlags) inside(t int64) bool {
	return (r.from == "" || t >= r.fromNanos) && (r.to == "" || t < r.toNanos)
}

// formatWords lists what --format takes: formats, then presets that are not called like one.
func formatWords() []string {
	all := record.Formats()
	for _, preset := range record.Presets() {
		if !slices.Contains(all, preset) {
			all = append(all, preset)
		}
	}
	return all
}

// samplingOf reads --sampling. Sampling by key is known, to be refused with its reason.
func (r *replayFlags) samplingOf() (policy.Sampling, error) {
	var s policy.Sampling
	if err := s.UnmarshalText([]byte(r.sampling)); err != nil {
		return s, usageError{fmt.Errorf("--%w", err)}
	}
	if s == policy.SamplingByKey {
		return s, usageError{errByKey()}
	}
	return s, nil
}

func errByKey() error {
	return fmt.Errorf("--sampling by_key: such a log has all requests of some keys and none of the others, so it says nothing about anyone's share; " +
		"sample independently of the key, or by trace")
}

// placed says whether the flags ask for a placement.
func (r *replayFlags) placed() bool {
	return r.changed("place") || r.changed("shards") || r.changed("hash") || r.changed("vshards")
}

// oneLine joins the lines of an error: main prints one.
func oneLine(err error) error { return words.OneLine(err) }
