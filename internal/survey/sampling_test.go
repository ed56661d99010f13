package survey

import (
	"fmt"
	"strings"
	"testing"

	"firebreak/policy"
)

// seconds is a log of n lines in s seconds.
func seconds(n, s int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"ts":%d,"key":"k%d"}`+"\n", 1700000000+i*s/n, i*i%97)
	}
	return b.String()
}

// TestShortSample: a sample of seconds that is all of its log is replayed as one window; one that is the head of a log is
// not, and it is said that the sample is short and not the log.
func TestShortSample(t *testing.T) {
	tests := []struct {
		name          string
		lines, spans  int
		limit         Limit
		whole         bool
		says, saysNot string
		busy, extent  string
	}{
		{
			name: "all of a short log", lines: 300, spans: 20, whole: true, says: "(--whole: the sample spans 19 s", saysNot: "goes on",
			extent: "the whole log, 300 lines",
		},
		{
			name: "the head of a busy log", lines: 300, spans: 20, limit: Limit{Lines: 100}, says: "Without --whole: the sample is short, not the log: its lines span 6 s",
			saysNot: "replay --config firebreak.yml --whole", busy: "only if all of it is shorter than 150 s", extent: "the first 100 lines; the log goes on",
		},
		{
			name: "the head of a long log", lines: 300, spans: 900, limit: Limit{Lines: 100}, saysNot: "--whole", extent: "the first 100 lines; the log goes on",
		},
		{
			name: "lines too long for what was asked for", lines: 300, spans: 3000, limit: Limit{Lines: 200, Bytes: 1000}, says: "Looked at the first 1,000 bytes: 35 lines, not the 200",
			saysNot: "--whole", extent: "the first 1,000 bytes: 35 lines, not the 200 that were asked for; the log goes on",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewSample(tt.limit, 1)
			if err := s.Add("log", strings.NewReader(seconds(tt.lines, tt.spans))); err != nil {
				t.Fatal(err)
			}
			p, err := Propose(s, "orders")
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Join(strings.Fields(strings.ReplaceAll(string(p.YAML), "#", "")), " ")
			if p.Whole != tt.whole || strings.Contains(p.Command("FILE"), "--whole") != tt.whole {
				t.Errorf("one window: %v, %q; want %v", p.Whole, p.Command("FILE"), tt.whole)
			}
			if !strings.Contains(text, tt.says) || strings.Contains(text, tt.saysNot) {
				t.Errorf("want %q and not %q in\n%.700s", tt.says, tt.saysNot, p.YAML)
			}
			if !strings.Contains(p.Busy, tt.busy) || (p.Busy == "") != (tt.busy == "") {
				t.Errorf("busy: %q, want %q", p.Busy, tt.busy)
			}
			if s.Extent() != tt.extent {
				t.Errorf("looked at %q, want %q", s.Extent(), tt.extent)
			}
		})
	}
}

// TestOneInSoMany: names that say one in N are read as a rate where they are N on every line, and one in N traces is a
// sampling of its own.
func TestOneInSoMany(t *testing.T) {
	tests := []struct {
		name     string
		rate     float64
		sampling policy.Sampling
		check    string
	}{
		{"traces_every", 0.01, policy.SamplingByTrace, "by_trace if whole traces were chosen"},
		{"traceSampleRate", 0.01, policy.SamplingByTrace, "by_trace if whole traces were chosen"},
		{"sampled_every", 0.01, policy.SamplingUnknown, "none, independent or by_trace"},
		{"one_in", 0.01, policy.SamplingUnknown, "none, independent or by_trace"},
		{"retry_every", 1, policy.SamplingUnknown, `"retry_every" looks like one in so many (always 100) and is not mapped`},
	}
	for _, tt := range tests {
		for _, form := range []func(r request) string{
			func(r request) string {
				return fmt.Sprintf(`{"time":%d,"key":"item:%d","%s":100}`, r.at.UnixMilli(), r.item, tt.name)
			},
			func(r request) string {
				return fmt.Sprintf(`time=%d key=item:%d %s=100`, r.at.UnixMilli(), r.item, tt.name)
			},
		} {
			p := proposed(t, drawn(300, "", form))
			if p.Fleet.Record.Rate != tt.rate || p.Fleet.Sampling != tt.sampling || !strings.Contains(checksOf(p), tt.check) {
				t.Errorf("%s: rate %g, sampling %v; want %g, %v and a check %q:\n%s", tt.name, p.Fleet.Record.Rate, p.Fleet.Sampling, tt.rate, tt.sampling, tt.check, p.YAML)
			}
		}
	}
	varied := proposed(t, drawn(300, "", func(r request) string {
		return fmt.Sprintf(`time=%d key=item:%d traces_every=%d`, r.at.UnixMilli(), r.item, 10+90*(r.n%2))
	}))
	if varied.Fleet.Record.Fields.Count.Path != "traces_every" || varied.Fleet.Sampling != policy.SamplingByTrace || !strings.Contains(checksOf(varied), "says one in so many (10 to 100)") {
		t.Errorf("one in 10 and in 100:\n%s", varied.YAML)
	}
}
