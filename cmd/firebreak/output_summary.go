package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"firebreak/internal/line"
	wording "firebreak/internal/words"
	"firebreak/policy"
)

// dominantShare is the share of a key's load from which its tenant is worth a word.
const dominantShare = 0.1

// boardShown is how many keys and tenants the text ranks.
const boardShown = 5

func (p *textPrinter) summary(s *line.Summary) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\nfleet %s: summary\n", shownName(string(s.Fleet)))
	recordsText(&b, s)
	verdictsText(&b, s)
	if d := s.Detectable; d != nil {
		say(&b, "detectable", detectableText(d))
	}
	for _, m := range s.Missing {
		say(&b, "missing", string(m))
	}
	for _, f := range s.Findings {
		text := string(f.Reason)
		if f.Shard != "" {
			text = "shard " + shownName(string(f.Shard)) + ": " + text
		}
		say(&b, "warning", text)
	}
	say(&b, "counted", countingText(&s.Counting))
	boardText(&b, s.Window)
	for i := range s.Asked {
		load := 0.0
		if s.Window != nil {
			load = float64(s.Window.Load)
		}
		say(&b, heading(i, "asked"), answerText(&s.Asked[i], load))
	}
	return p.write(&b)
}

// recordsText says what was read and what became of it.
func recordsText(b *strings.Builder, s *line.Summary) {
	text := fmt.Sprintf("%s lines, %s records, %s counted for %s requests", grouped(float64(s.Lines)), grouped(float64(s.Records)),
		grouped(float64(s.Counted)), grouped(float64(s.Requests)))
	if !s.From.IsZero() {
		text += fmt.Sprintf(", %s to %s", clock(time.Time(s.From)), clock(time.Time(s.To)))
	}
	say(b, "records", text)
	var refused []string
	for _, reason := range slices.Sorted(maps.Keys(s.Refused)) {
		refused = append(refused, fmt.Sprintf("%s %s", grouped(float64(s.Refused[reason])), reason))
	}
	for _, other := range []struct {
		n    uint64
		what string
	}{
		{s.Late, "late"},
		{s.Future, "future"},
		{s.Untimed, "without a time, counted with their neighbours"},
		{s.Unplaced, "on no shard, they lack what the placement hashes"},
		{s.Unrated, "without a rate, counted with the default"},
		{s.OutsideCut, "outside --from and --to"},
	} {
		if other.n > 0 {
			refused = append(refused, grouped(float64(other.n))+" "+other.what)
		}
	}
	if len(refused) == 0 {
		refused = []string{"none refused, late or from the future"}
	}
	say(b, "of these", strings.Join(refused, "; "))
}

// verdictsText counts the verdicts, their delays and the holds.
func verdictsText(b *strings.Builder, s *line.Summary) {
	var causes []string
	for _, c := range policy.Causes() {
		if n := s.Verdicts[c.String()]; n > 0 {
			causes = append(causes, fmt.Sprintf("%d %s", n, c))
		}
	}
	if len(causes) == 0 {
		causes = []string{"none: no shard was hot for long enough, by its lower bound"}
		if s.Counted == 0 {
			causes = []string{"none: nothing was counted"}
		}
	}
	text := strings.Join(causes, ", ")
	if s.Unresolved > 0 {
		text += fmt.Sprintf("; %d still firing at the end", s.Unresolved)
	}
	say(b, "verdicts", text)
	if d := s.DetectionDelay; d != nil {
		say(b, "delay", fmt.Sprintf("from onset to verdict %ss p50, %ss p95, %ss at most", grouped(float64(d.P50)), grouped(float64(d.P95)), grouped(float64(d.Max))))
	}
	var holds []string
	for _, reason := range slices.Sorted(maps.Keys(s.Holds)) {
		holds = append(holds, fmt.Sprintf("%s %s", reason, whole(s.Holds[reason])))
	}
	if len(holds) > 0 {
		say(b, "holds", "by tick: "+strings.Join(holds, ", "))
	}
}

// detectableText says what a log of this traffic can promise.
func detectableText(d *line.Detectable) string {
	text := fmt.Sprintf("line %s the mean; a minute of a shard at it says %s. Found with 95 %% by one window after the onset: ",
		times(float64(d.Line)), wording.Telling(float64(d.Samples)))
	within := func(n *line.Number) string {
		if n == nil {
			return "nothing"
		}
		return "a shard at " + times(float64(*n)) + " the line"
	}
	return text + within(d.OneMinute) + " in a minute, " + within(d.FiveMinutes) + " in five"
}

// boardText ranks the heaviest keys and tenants of the last window.
func boardText(b *strings.Builder, w *line.Board) {
	if w == nil {
		return
	}
	text := fmt.Sprintf("%s keys, %s tenants", whole(w.DistinctKeys), whole(w.DistinctTenants))
	if !w.From.IsZero() {
		text = fmt.Sprintf("%s to %s: ", clock(time.Time(w.From)), clock(time.Time(w.To))) + text
	}
	say(b, "window", text)
	for i, k := range w.TopKeys[:min(len(w.TopKeys), boardShown)] {
		who := shownName(string(k.Key))
		if k.Tenant != "" && k.TenantShare >= dominantShare {
			who += fmt.Sprintf(" (tenant %s: %s of it)", shownName(string(k.Tenant)), boardShare(k.TenantShare))
		}
		say(b, heading(i, "keys"), fmt.Sprintf("%s %s", boardShare(k.Share), who))
	}
	for i, t := range w.TopTenants[:min(len(w.TopTenants), boardShown)] {
		say(b, heading(i, "tenants"), fmt.Sprintf("%s %s", boardShare(t.Share), shownName(string(t.Tenant))))
	}
}

// boardShare is a share as the report has it, and below what the report tells apart with its digits.
func boardShare(of line.Number) string {
	if of < 0.001 {
		return percent(float64(of))
	}
	return percentShort(float64(of))
}

// heading labels the first line of a list.
func heading(i int, label string) string {
	if i > 0 {
		return ""
	}
	return label
}
