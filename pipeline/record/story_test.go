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
// literal, for bytes that a text file cannot hold. "messages" takes "key=K time=MILLISECONDS HEADER=V ... | VALUE", its
// value with escapes as in Go, and prints what each gives; "topic" and "file" say whether the last configuration suits one.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "../../testdata/record", func(t *testing.T, path string) {
		var d *Decoder
		var last Config
		datadriven.RunTest(t, path, func(t *testing.T, cmd *datadriven.TestData) string {
			switch cmd.Cmd {
			case "config":
				cfg, err := parseConfig(cmd.Input)
				last = cfg
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
			case "messages":
				var out strings.Builder
				for line := range strings.SplitSeq(cmd.Input, "\n") {
					for _, answer := range showMessage(t, d, line) {
						out.WriteString(answer + "\n")
					}
				}
				return out.String()
			case "topic":
				return answer(last.ForMessages())
			case "file":
				return answer(last.ForFiles())
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

// showMessage prints what each record of a message gives.
func showMessage(t *testing.T, d *Decoder, line string) (answers []string) {
	t.Helper()
	beside, quoted, _ := strings.Cut(line, "|")
	value, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.TrimSpace(quoted), `"`, `\"`) + `"`)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	m := Message{Time: NoTime}
	for word := range strings.FieldsSeq(beside) {
		name, text, _ := strings.Cut(word, "=")
		switch name {
		case "key":
			m.Key = []byte(text)
		case "time":
			millis, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			m.Time = millis * int64(time.Millisecond)
		default:
			m.Headers = append(m.Headers, Header{name, []byte(text)})
		}
	}
	for rest := []byte(value); ; {
		m.Value, rest = d.First(rest)
		var r Record
		answers = append(answers, showRecord(&r, d.DecodeMessage(&m, &r)))
		if len(rest) == 0 {
			return answers
		}
	}
}

// show prints what a line gives.
func show(d *Decoder, line string) string {
	var r Record
	return showRecord(&r, d.Decode([]byte(line), &r))
}

// showRecord prints the fields of a record that are present, or the reason why there is none.
func showRecord(r *Record, reason Reason) string {
	if reason != ReasonNone {
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
