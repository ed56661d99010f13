package record

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// TestStories runs testdata/record/*.txt. "config" takes the YAML of a Config and prints its problem, if any;
// "header" reads a header; "decode" prints what each line gives; "decode quoted" takes each line as a Go string
// literal, for bytes that a text file cannot hold.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "../../testdata/record", func(t *testing.T, path string) {
		var d *Decoder
		datadriven.RunTest(t, path, func(t *testing.T, cmd *datadriven.TestData) string {
			switch cmd.Cmd {
			case "config":
				cfg, err := parseConfig(cmd.Input)
				if err == nil {
					d, err = NewDecoder(cfg)
				}
				return answer(err)
			case "header":
				err := d.Header([]byte(cmd.Input))
				if missing := d.Missing(); err == nil && missing != nil {
					return "missing: " + strings.Join(missing, " ") + "\n"
				}
				return answer(err)
			case "decode":
				var out strings.Builder
				for line := range strings.SplitSeq(cmd.Input, "\n") {
					if cmd.HasArg("quoted") {
						unquoted, err := strconv.Unquote(line)
						if err != nil {
							t.Fatalf("%s: %s: %v", cmd.Pos, line, err)
						}
						line = unquoted
					}
					out.WriteString(show(d, line) + "\n")
				}
				return out.String()
			default:
				t.Fatalf("%s: unknown command %q", cmd.Pos, cmd.Cmd)
				return ""
			}
		})
	})
}

// answer prints an error.
func answer(err error) string {
	if err != nil {
		return err.Error() + "\n"
	}
	return "ok\n"
}

// show prints the fields of a record that are present, or the reason why there is none.
func show(d *Decoder, line string) string {
	var r Record
	if reason := d.Decode([]byte(line), &r); reason != ReasonNone {
		return "- " + reason.String()
	}
	var out []string
	add := func(present bool, format string, args ...any) {
		if present {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	if r.Time != NoTime {
		add(true, "%s", time.Unix(0, r.Time).UTC().Format("2006-01-02T15:04:05.999Z"))
	}
	for _, f := range []struct {
		name string
		b    []byte
	}{{"tenant", r.Tenant}, {"key", r.Key}, {"shard", r.Shard}, {"caller", r.Caller}} {
		text := strconv.Quote(string(f.b))
		if text == `"`+string(f.b)+`"` && !strings.Contains(text, " ") {
			text = string(f.b)
		}
		add(f.b != nil, "%s=%s", f.name, text)
	}
	add(r.KeyHashed, "hashed")
	add(true, "%v", r.Op)
	add(r.Count != 1, "count=%v", r.Count)
	add(r.Rate != 0, "rate=%v", r.Rate)
	add(r.Bytes != 0, "bytes=%v", r.Bytes)
	add(r.Latency != 0, "latency=%vus", r.Latency)
	add(r.Status != 0, "status=%d", r.Status)
	add(r.Throttled, "throttled")
	return strings.Join(out, " ")
}
