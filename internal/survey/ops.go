package survey

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"firebreak/pipeline/record"
)

// opWord is what a word in an op column means.
type opWord struct {
	word  string
	op    record.Op
	verb  string // of a word that is known by its first part only
	lines int
}

// lexicon says what the words of ops mean. newLexicon makes it.
type lexicon struct {
	decoder *record.Decoder
	verb    *regexp.Regexp
	known   map[string]opWord
}

func newLexicon() (*lexicon, error) {
	d, err := record.NewDecoder(record.Config{
		Format: formatTSV, NoHeader: true,
		Fields: record.Fields{Key: record.Field{Path: "1"}, Op: record.Field{Path: "2"}},
	})
	return &lexicon{decoder: d, verb: regexp.MustCompile(`^[A-Z]?[a-z]+|^[A-Z]+`), known: map[string]opWord{}}, err
}

// meaning says what a word means: by the table of package record, or by the verb that it begins with.
func (l *lexicon) meaning(word string) opWord {
	if w, ok := l.known[word]; ok {
		return w
	}
	w := opWord{word: word, op: l.built(word)}
	if verb := l.verb.FindString(word); w.op == record.OpUnknown && len(verb) > 1 && verb != word {
		if w.op = l.built(verb); w.op == record.OpUnknown && strings.EqualFold(verb, "create") {
			w.op = record.OpWrite
		}
		if w.op != record.OpUnknown {
			w.verb = verb
		}
	}
	if len(l.known) < 2*maxOps {
		l.known[word] = w
	}
	return w
}

// built is what the decoder makes of a word without any rule.
func (l *lexicon) built(word string) record.Op {
	var rec record.Record
	if l.decoder.Decode([]byte("k\t"+word), &rec) != record.ReasonNone {
		return record.OpUnknown
	}
	return rec.Op
}

// table lists the words of an op column, the most frequent first, and the rules that make reads and writes of them: one
// for each word, then one for each verb that begins words of which the decoder knows no more.
func (l *lexicon) table(c *column) (words []opWord, rules []record.OpRule) {
	for word, n := range c.counts {
		w := l.meaning(word)
		w.lines = n
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b opWord) int { return cmp.Or(cmp.Compare(b.lines, a.lines), cmp.Compare(a.word, b.word)) })
	if len(words) > maxOps {
		return words, nil // what only a preset lets through
	}
	var verbs []string
	for _, w := range words {
		switch {
		case w.verb == "" && nameable(w.word):
			rules = append(rules, record.OpRule{Value: w.word, Op: w.op.String()})
		case w.verb != "" && !slices.Contains(verbs, w.verb):
			verbs = append(verbs, w.verb)
		}
	}
	for _, verb := range verbs {
		rules = append(rules, record.OpRule{Pattern: verbPattern(verb), Op: l.meaning(verb + "_").op.String()})
	}
	return words, rules
}

// verbPattern matches the words that begin with a verb, but not those of which it is only a part.
func verbPattern(verb string) string {
	if verb == strings.ToUpper(verb) {
		return "^" + verb + "([^A-Z]|$)"
	}
	return "^" + verb + "([^a-z]|$)"
}

// linesOf counts the lines that a rule of the table is for.
func linesOf(rule record.OpRule, words []opWord) int {
	n := 0
	for _, w := range words {
		if w.verb == "" && rule.Value == w.word || w.verb != "" && rule.Pattern == verbPattern(w.verb) {
			n += w.lines
		}
	}
	return n
}

// writesName matches names of what writes although it is fetched.
func writesName() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(click|vote|beacon|track|collect|count(er|/|$)|impression|incr|like(/|$)|pixel|submit|subscribe|update|delete|add(/|$)|save)`)
}

// NameWrites says that a key's own name tells of a write, although it is fetched: a click, a vote, a counter.
func NameWrites(key string) bool { return writesName().MatchString(key) }
