package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"firebreak/bench/decode"
)

// TestBenchDecode runs the bench on a few records: every log and its contenders are in the table.
func TestBenchDecode(t *testing.T) {
	var out, errs bytes.Buffer
	args := []string{"bench", "decode", "--records", "20", "--rounds", "7", "--round", "10us"}
	if err := run(context.Background(), args, strings.NewReader(""), &out, &errs); err != nil || errs.Len() > 0 {
		t.Fatalf("%v, standard error %q", err, errs.String())
	}
	for _, want := range append(decode.Formats(), decode.Ours, "encoding/json", "encoding/csv", "regexp", "times ours") {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, out.String())
		}
	}
}

func TestBenchDecodeRefuses(t *testing.T) {
	for _, flags := range [][]string{{"--records", "0"}, {"--rounds", "6"}, {"--round", "0s"}, {"extra"}} {
		var out, errs bytes.Buffer
		err := run(context.Background(), append([]string{"bench", "decode"}, flags...), strings.NewReader(""), &out, &errs)
		if exitCode(err) != exitUsage {
			t.Errorf("bench decode %v: %v, want a usage error", flags, err)
		}
	}
}
