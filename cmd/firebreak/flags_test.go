package main

import (
	"strings"
	"testing"
)

// TestFlagErrors: whatever is wrong with a flag, the message names the flag, the value and what is wanted, and says nothing
// of how it was read.
func TestFlagErrors(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"replay --shards abc x", "--shards abc: want a whole number, such as 16"},
		{"replay --shards 99999999999999999999 x", "--shards 99999999999999999999: want a whole number"},
		{"replay --capacity much x", "--capacity much: want a number, such as 8000"},
		{"replay --capacity Inf x", "--capacity +Inf: want requests/s above 0 and at most 1e12"},
		{"replay --capacity NaN x", "--capacity NaN: want requests/s above 0"},
		{"replay --capacity 1e13 x", "--capacity 1e+13: want requests/s above 0"},
		{"replay --window 5 x", "--window 5: want a time with its unit, such as 30s"},
		{"replay --whole=maybe x", "--whole maybe: want true or false"},
		{"replay --shrads 3 x", "--shrads: unknown flag; did you mean --shards?"},
		{"replay --zzz 3 x", "--zzz: unknown flag"},
		{"replay x --shards", "--shards: a value is missing; want a whole number"},
		{"replay -q x", "unknown shorthand flag"},
		{"init --lines many", "--lines many: want a whole number"},
		{"whatif --demo-trap=perhaps", "--demo-trap perhaps: want true or false"},
		{"bench verdicts --seed -1", "--seed -1: want a whole number, 0 or more"},
		{"bench decode --round quick", "--round quick: want a time with its unit"},
	} {
		out, err := call(t, tt.args)
		if exitCode(err) != exitUsage || !strings.Contains(err.Error(), tt.want) || out != "" {
			t.Errorf("%s: %v (exit %d), want %q", tt.args, err, exitCode(err), tt.want)
			continue
		}
		for _, leak := range []string{"strconv", "parsing", "invalid", "\n"} {
			if strings.Contains(err.Error(), leak) {
				t.Errorf("%s: %q is in %q", tt.args, leak, err)
			}
		}
	}
}
