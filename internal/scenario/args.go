package scenario

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// args reads the arguments of one line by name, keeps the first error of each, and knows what nobody asked for.
type args struct {
	what string
	list []Arg
	used []bool
	errs []error
}

func newArgs(what string, list []Arg) *args {
	return &args{what: what, list: list, used: make([]bool, len(list))}
}

func (a *args) bad(format string, v ...any) {
	a.errs = append(a.errs, fmt.Errorf(a.what+": "+format, v...))
}

// done is what was wrong with the arguments, those that are not known included.
func (a *args) done() error {
	for i, used := range a.used {
		if !used {
			a.bad("%s is not known here", a.list[i].Key)
		}
	}
	return errors.Join(a.errs...)
}

// find returns the values of an argument. A second one of the same name is left over and so refused.
func (a *args) find(key string) ([]string, bool) {
	for i := range a.list {
		if a.list[i].Key == key && !a.used[i] {
			a.used[i] = true
			return a.list[i].Vals, true
		}
	}
	return nil, false
}

// name is the bare word that comes first; fallback where there is none.
func (a *args) name(fallback string) string {
	if len(a.list) > 0 && len(a.list[0].Vals) == 0 && !a.used[0] {
		a.used[0] = true
		return a.list[0].Key
	}
	if fallback == "" {
		a.bad("want a name first")
	}
	return fallback
}

// word is the argument's one value.
func (a *args) word(key, fallback string) string {
	vals, ok := a.find(key)
	if !ok {
		return fallback
	}
	if len(vals) != 1 {
		a.bad("%s has %d values, want one", key, len(vals))
		return fallback
	}
	return vals[0]
}

func (a *args) words(key string) []string {
	vals, _ := a.find(key)
	return vals
}

// flag says whether the bare word is there.
func (a *args) flag(key string) bool {
	vals, ok := a.find(key)
	if ok && len(vals) > 0 {
		a.bad("%s takes no value", key)
	}
	return ok
}

// number reads a value by parse; fallback where it is absent.
func number[T any](a *args, key string, fallback T, parse func(string) (T, error)) T {
	vals, ok := a.find(key)
	if !ok {
		return fallback
	}
	if len(vals) != 1 {
		a.bad("%s has %d values, want one", key, len(vals))
		return fallback
	}
	v, err := parse(vals[0])
	if err != nil {
		a.bad("%s: %w", key, err)
		return fallback
	}
	return v
}

func (a *args) rate(key string) float64 { return number(a, key, 0, parseRate) }
func (a *args) share(key string, fallback float64) float64 {
	return number(a, key, fallback, parseShare)
}
func (a *args) sample(key string) float64 { return number(a, key, 0, parseSample) }
func (a *args) integer(key string, fallback int) int {
	return number(a, key, fallback, strconv.Atoi)
}

func (a *args) duration(key string, fallback time.Duration) time.Duration {
	return number(a, key, fallback, time.ParseDuration)
}

// parseRate reads a number from 0 on.
func parseRate(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("%q: want a number from 0 on", s)
	}
	return v, nil
}

// parseShare reads 12% or 0.12.
func parseShare(s string) (float64, error) {
	digits, percent := strings.CutSuffix(s, "%")
	v, err := parseRate(digits)
	if percent {
		v /= 100
	}
	if err != nil || v > 1 {
		return 0, fmt.Errorf("%q: want a share such as 12%% or 0.12", s)
	}
	return v, nil
}

// parseSample reads 1:100.
func parseSample(s string) (float64, error) {
	of, ok := strings.CutPrefix(s, "1:")
	n, err := strconv.ParseUint(of, 10, 32)
	if !ok || err != nil || n == 0 {
		return 0, fmt.Errorf("%q: want a sampling such as 1:100", s)
	}
	return 1 / float64(n), nil
}

// second is the bare word behind the name.
func (a *args) second() string {
	for i := range a.list {
		if !a.used[i] && len(a.list[i].Vals) == 0 {
			a.used[i] = true
			return a.list[i].Key
		}
	}
	a.bad("want a second word")
	return ""
}
