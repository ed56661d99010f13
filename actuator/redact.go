package actuator

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"firebreak/internal/line"
)

// Redact is applied to every key, tenant and caller when an entry is written, so that the journal never holds them; nil leaves them as
// they are. The same name always gives the same text, on every instance. An empty name is none and stays.
type Redact func(name []byte) string

// ParseRedact reads a mode of the configuration: off (or nothing), or hash, which writes the 16 hexadecimal digits of the
// name's xxHash64. Hashing hides names from readers of the journal; it does not withstand who tries all likely names.
func ParseRedact(mode string) (Redact, error) {
	switch mode {
	case "", "off":
		return nil, nil
	case "hash":
		return func(name []byte) string { return fmt.Sprintf("%016x", xxhash.Sum64(name)) }, nil
	}
	return nil, fmt.Errorf("redact %q: want off or hash", mode)
}

func (r Redact) name(n *line.Name) {
	if *n != "" {
		*n = line.Name(r([]byte(*n)))
	}
}

// prose redacts what stands in quotes: sentences write keys, tenants and callers as Go strings and nothing else.
func (r Redact) prose(p *line.Prose) {
	text, at := string(*p), 0
	var b strings.Builder
	for at < len(text) {
		quote := strings.IndexByte(text[at:], '"')
		if quote < 0 {
			break
		}
		b.WriteString(text[at : at+quote])
		at += quote
		quoted, err := strconv.QuotedPrefix(text[at:])
		if err != nil {
			// A quote that does not close: nothing behind it is told.
			*p = line.Prose(b.String() + `"..."`)
			return
		}
		name, err := strconv.Unquote(quoted)
		if err == nil && name != "" {
			name = r([]byte(name))
		}
		b.WriteString(strconv.Quote(name))
		at += len(quoted)
	}
	b.WriteString(text[at:])
	*p = line.Prose(b.String())
}

// Text redacts what stands in quotes in a sentence.
func (r Redact) Text(text string) string {
	if r == nil {
		return text
	}
	p := line.Prose(text)
	r.prose(&p)
	return string(p)
}

func (r Redact) verdict(v *line.Verdict) {
	if r == nil {
		return
	}
	r.name(&v.Key)
	r.name(&v.Tenant)
	r.name(&v.Caller)
	r.prose(&v.Reason)
	for i := range v.Contributors {
		r.name(&v.Contributors[i].Key)
		r.name(&v.Contributors[i].Tenant)
		r.name(&v.Contributors[i].Caller)
	}
	for i := range v.Missing {
		r.prose(&v.Missing[i])
	}
	for i := range v.Projections {
		r.prose(&v.Projections[i].Why)
	}
}

func (r Redact) plan(p *line.Plan) {
	if r == nil {
		return
	}
	r.prose(&p.Projection.Why)
	for i := range p.Steps {
		r.name(&p.Steps[i].Key)
		r.name(&p.Steps[i].Tenant)
		r.name(&p.Steps[i].Caller)
		r.prose(&p.Steps[i].Text)
	}
	for i := range p.Footprint {
		e := &p.Footprint[i]
		r.name(&e.Tenant)
		if e.Kind != "vshard" && e.Kind != "shard" {
			r.name(&e.Name)
		}
	}
}

func (r Redact) hold(h *line.Hold) {
	if r != nil {
		r.prose(&h.Detail)
	}
}

func (r Redact) advice(a *line.Advice) {
	if r != nil {
		r.prose(&a.Reason)
	}
}
