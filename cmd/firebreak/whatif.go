package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"firebreak/internal/line"
	"firebreak/internal/strictyaml"
	"firebreak/policy"
	"firebreak/profiles"
)

// whatifFlags are the flags of whatif as typed; "" is a flag that was not given.
type whatifFlags struct {
	share, rate, shards, target, capacity, reads, sample, profile, output string

	trap bool
}

// newWhatifCommand builds `firebreak whatif`: the arithmetic of one hot key, without a log.
func newWhatifCommand() *cobra.Command {
	var flags whatifFlags
	cmd := &cobra.Command{
		Use:   "whatif --share 12% --rate 100000 --shards 16",
		Short: "Say what more shards, a salt or a cache would do to one hot key",
		Long: `Say what more shards, a salt or a cache would do to one hot key on an otherwise even fleet: the hottest shard
before and after, what reads then cost, what changes if the rate doubles, and what a log can detect at that rate.`,
		Example: `  firebreak whatif --share 12% --rate 100000 --shards 16
  firebreak whatif --share 12% --rate 100000 --shards 16 --capacity 8000 --reads 5% --sample 1:100
  firebreak whatif --demo-trap`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWhatif(cmd, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.share, "share", "", "share of all requests that go to the hot key, such as 12%")
	f.StringVar(&flags.rate, "rate", "", "requests/s of the whole fleet, such as 100000")
	f.StringVar(&flags.shards, "shards", "", "shards that serve, such as 16")
	f.StringVar(&flags.target, "target", "", "what the hottest shard may bear, as a multiple of the mean (default 1.5x)")
	f.StringVar(&flags.capacity, "capacity", "", "requests/s that one shard can bear, such as 8000; instead of --target")
	f.StringVar(&flags.reads, "reads", "0%", "share of reads among the hot key's requests, such as 5%")
	f.StringVar(&flags.sample, "sample", "1:1", "how much of the traffic is logged, such as 1:100")
	f.StringVar(&flags.profile, "profile", "", "say the fix in the words of a store: "+strings.Join(profiles.Names(), ", "))
	f.StringVar(&flags.output, "output", "text", "text or json")
	f.BoolVar(&flags.trap, "demo-trap", false, "show why more shards do not help: a key of 80 % on 4, 8, 16 and 32 shards")
	return cmd
}

func runWhatif(cmd *cobra.Command, flags whatifFlags) error {
	if flags.output != "text" && flags.output != "json" {
		return wrong("output", flags.output, "text or json")
	}
	var text string
	var object any
	if flags.trap {
		for _, name := range []string{"share", "rate", "shards", "target", "capacity", "reads", "sample", "profile"} {
			if cmd.Flags().Changed(name) {
				return usageError{fmt.Errorf("--demo-trap has figures of its own; leave out --%s", name)}
			}
		}
		trap := newTrapReport()
		text, object = trap.text(), trap
	} else {
		question, err := flags.question()
		if err != nil {
			return err
		}
		report := newWhatifReport(question)
		if report.InStore, err = flags.inStore(report.Answer.Fix); err != nil {
			return err
		}
		text, object = report.text(), report
	}
	if flags.output == "json" {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(object)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), text)
	return err
}

// inStore says a fix in the words of the store that was named; nil if none was, or there is no fix.
func (w whatifFlags) inStore(fix policy.Fix) (*line.InStore, error) {
	if w.profile == "" {
		return nil, nil
	}
	if !slices.Contains(profiles.Names(), w.profile) {
		return nil, unknown("profile", w.profile, profiles.Names())
	}
	store, err := profiles.Open(profiles.Choice{Name: w.profile}, "")
	if err != nil {
		return nil, err
	}
	return store.Says(fix), nil
}

// whatifQuestion is what was asked, checked.
type whatifQuestion struct {
	form     policy.Form
	multiple float64 // target and line as a multiple of the mean; 0 with a capacity
	capacity float64 // requests/s of one shard; 0 = not given
	every    float64 // one request of so many is logged, >= 1
}

// question checks every flag; an error names the flag, the value and what is wanted.
func (w whatifFlags) question() (q whatifQuestion, err error) {
	for _, required := range []struct{ name, value, want string }{
		{"share", w.share, "12%"}, {"rate", w.rate, "100000"}, {"shards", w.shards, "16"},
	} {
		if required.value == "" {
			return q, usageError{fmt.Errorf("--%s is missing; give it as in --%s %s", required.name, required.name, required.want)}
		}
	}
	if w.target != "" && w.capacity != "" {
		return q, usageError{fmt.Errorf("--target %s and --capacity %s exclude each other; give one of them", shownValue(w.target), shownValue(w.capacity))}
	}
	share, err := strictyaml.ParseRatio(w.share)
	if err != nil || !(share > 0) {
		return q, wrong("share", w.share, "more than 0% and at most 100%, such as 12%")
	}
	reads, err := strictyaml.ParseRatio(w.reads)
	if err != nil {
		return q, wrong("reads", w.reads, "0% to 100%, such as 5%")
	}
	rate, ok := parseRate(w.rate)
	if !ok {
		return q, wrong("rate", w.rate, "requests/s above 0 and at most 1e12, such as 100000")
	}
	shards, err := strconv.Atoi(w.shards)
	if err != nil || shards < 1 || shards > 100_000 {
		return q, wrong("shards", w.shards, "a whole number from 1 to 100000, such as 16")
	}
	q.form = policy.Form{Share: float64(share), Rate: rate, Shards: shards, Reads: float64(reads)}
	return q, w.limits(&q)
}

// limits fills in what the shards and the log are held to.
func (w whatifFlags) limits(q *whatifQuestion) error {
	var ok bool
	switch {
	case w.capacity != "":
		if q.capacity, ok = parseRate(w.capacity); !ok {
			return wrong("capacity", w.capacity, "requests/s of one shard above 0 and at most 1e12, such as 8000")
		}
	case w.target != "":
		digits, times := strings.CutSuffix(w.target, "x")
		if q.multiple, ok = parseNumber(digits); !ok || !times || q.multiple < 1 || q.multiple > 1000 {
			return wrong("target", w.target, "a multiple of the mean from 1x to 1000x, such as 1.5x")
		}
	default:
		q.multiple = policy.Default().Lines.Relative
	}
	one, every, found := strings.Cut(w.sample, ":")
	if q.every, ok = parseNumber(every); !found || one != "1" || !ok || q.every < 1 || q.every > 1e9 {
		return wrong("sample", w.sample, "1:N with N from 1 to 1e9, such as 1:100")
	}
	return nil
}

func wrong(flag, value, want string) error {
	return usageError{fmt.Errorf("--%s %s: want %s", flag, shownValue(value), want)}
}

// unknown is wrong for a flag that takes one of a closed set of words.
func unknown(flag, value string, known []string) error {
	want := strings.Join(known, ", ")
	if near := strictyaml.Nearest(value, known); near != "" {
		want += fmt.Sprintf("; did you mean %s?", near)
	}
	return wrong(flag, value, want)
}

// shownValue keeps a message on one line, whatever was typed.
func shownValue(value string) string {
	if quoted := strconv.Quote(value); value == "" || quoted != `"`+value+`"` || strings.Contains(value, " ") {
		return quoted
	}
	return value
}

// mostRate is the largest rate that can be meant, requests/s.
const mostRate = 1e12

func parseRate(text string) (float64, bool) {
	rate, ok := parseNumber(text)
	return rate, ok && rate > 0 && rate <= mostRate
}

// parseNumber reads a finite decimal number; "0x10", "NaN" and "1_000" are none.
func parseNumber(text string) (float64, bool) {
	number, err := strconv.ParseFloat(text, 64)
	return number, err == nil && strings.Trim(text, "0123456789.eE+-") == "" && !math.IsInf(number, 0)
}
