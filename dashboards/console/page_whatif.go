package console

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"

	"firebreak/dashboards/draw"
	"firebreak/internal/words"
	"firebreak/policy"
)

// whatifView is the what-if page: a form, and its answer.
type whatifView struct {
	Sliders  []sliderView
	Capacity string
	Begins   string // which numbers it begins with
	Problem  string
	Answer   *whatifAnswer
}

// sliderView is one slider of the form. What is asked may lie beyond its ends.
type sliderView struct {
	Name, Label, Value, Unit string
	Min, Max, Step           string
}

type whatifAnswer struct {
	Why    phrase
	Panels []fixView
	Note   string
	Rows   []whatifRow
	JSON   string
}

// whatifRow is a number of pieces, in the table behind the bars.
type whatifRow struct {
	Pieces, Hottest, Times, Reads string
	Meets, Asked                  bool
}

// maxDrawn bounds the shards that are drawn one by one.
const maxDrawn = 4096

// whatifPage answers what a salt or more shards make of one hot key.
func (p *pages) whatifPage(r *http.Request) (string, frame, error) {
	get := func(name, without string) string {
		if text := strings.TrimSpace(r.URL.Query().Get(name)); text != "" {
			return text
		}
		return without
	}
	q := question(r)
	typed := r.URL.RawQuery != ""
	share, rate, shards, reads := get("share", "12"), get("rate", "100000"), get("shards", "16"), get("reads", "5")
	q.Share, q.Rate, q.Shards, q.Reads = percentOf(share), rate, shards, percentOf(reads)
	v := whatifView{Capacity: q.Capacity, Begins: begins(get("as", ""), get("at", ""), typed), Sliders: []sliderView{
		{"share", "Share of the hot key", strings.TrimSuffix(share, "%"), "%", "0.5", "100", "0.5"},
		{"rate", "Requests a second, of the whole fleet", rate, "/s", "1000", "1000000", "1000"},
		{"shards", "Shards", shards, "", "1", "256", "1"},
		{"salt", "Salt, in pieces", get("salt", "4"), "", "1", "64", "1"},
		{"reads", "Reads among the key’s requests", strings.TrimSuffix(reads, "%"), "%", "0", "100", "1"},
	}}
	pieces, err := number(r, "salt", 4, 1<<20)
	var w *Whatif
	if err == nil {
		w, err = p.source.Whatif(q)
	}
	if err != nil {
		v.Problem = words.Flat(words.Ended(words.Capital(err.Error())), words.MaxPhrase)
	} else {
		v.Answer = w.answer(pieces)
		v.Answer.JSON = "/api/v1/whatif?" + q.query()
	}
	return "whatif", frame{Title: "What if", Body: v}, nil
}

// query is the question as the API takes it.
func (q *Question) query() string {
	v := url.Values{}
	for _, p := range []struct{ name, value string }{
		{"share", q.Share}, {"rate", q.Rate}, {"shards", q.Shards}, {"reads", q.Reads}, {"target", q.Target}, {"capacity", q.Capacity}, {"sample", q.Sample},
	} {
		if p.value != "" {
			v.Set(p.name, p.value)
		}
	}
	return v.Encode()
}

// percentOf is a share as what-if reads it.
func percentOf(text string) string { return strings.TrimSuffix(text, "%") + "%" }

// answer lays the key out as it is, salted as asked, and on twice the shards.
func (w *Whatif) answer(pieces int) *whatifAnswer {
	twice := w.Form
	twice.Shards *= 2
	now, salted, more := loadsOf(w.Form, 1), loadsOf(w.Form, pieces), loadsOf(twice, 1)
	top := 1.04 * max(w.Target, w.Form.Hottest(w.Form.Shards), w.Form.Salted(pieces))
	out := &whatifAnswer{Why: words.Say(w.Why)}
	panel := func(id, name string, loads []float64, hottest float64, costs ...string) {
		f := (&draw.ShardBars{
			ID: id, Title: "Shard loads: " + name, Desc: fmt.Sprintf("The hottest shard %s; target %s.", words.Rate(hottest), words.Rate(w.Target)),
			Loads: loads, Hot: 0, Line: w.Target, Target: w.Target, Top: top,
		}).Figure()
		view := fixView{Name: name, State: "fails", Verdict: "over the target", Bars: &f, Shard: words.Rate(hottest), Hottest: words.Times(hottest/w.Mean) + " the mean", Costs: costs}
		if hottest <= w.Target*(1+1e-9) {
			view.State, view.Verdict = "could", "within the target"
		}
		out.Panels = append(out.Panels, view)
	}
	panel("as-is", "as it is", now, w.Form.Hottest(w.Form.Shards))
	panel("salted", fmt.Sprintf("salt of %d", pieces), salted, w.Form.Salted(pieces), fmt.Sprintf("a read of the key costs %s", words.Times(w.Form.KeyReadMultiplier(pieces))))
	panel("more", words.Count(twice.Shards, "shard"), more, w.Form.Hottest(twice.Shards), "the key stays whole: "+words.Rate(w.Form.Floor()))
	out.Note = fmt.Sprintf("The wide bar is the hottest shard. Dashed: the target, %s. All on one scale; the rest of the load is taken to be even, and pieces to lie on distinct shards.", words.Rate(w.Target))
	out.Rows = w.rows(pieces)
	return out
}

// rows are numbers of pieces around what is asked.
func (w *Whatif) rows(pieces int) []whatifRow {
	var out []whatifRow
	last := 0
	for _, s := range []int{1, 2, 4, 8, 16, 32, 64} {
		for _, n := range []int{pieces, s} {
			if n <= last || n == pieces && n > s || n > max(w.Form.Shards, pieces) {
				continue
			}
			last = n
			out = append(out, whatifRow{
				Pieces: words.Number(float64(n)), Hottest: words.Rate(w.Form.Salted(n)), Times: words.Times(w.Form.Salted(n) / w.Mean),
				Reads: words.Times(w.Form.KeyReadMultiplier(n)), Meets: w.Form.Salted(n) <= w.Target*(1+1e-9), Asked: n == pieces,
			})
		}
	}
	return out
}

// loadsOf are the shards with a key in so many pieces, on distinct shards as far as there are any; the first has the most.
func loadsOf(f policy.Form, pieces int) []float64 {
	n := min(f.Shards, maxDrawn)
	rest := f.Hottest(f.Shards) - f.Floor()
	most := math.Ceil(float64(pieces) / float64(f.Shards))
	piece := (f.Salted(pieces) - rest) / most
	out := make([]float64, n)
	for i := range out {
		on := float64(pieces / f.Shards)
		if i < pieces%f.Shards {
			on++
		}
		out[i] = rest + on*piece
	}
	return out
}
