package dynamo

import (
	"regexp"
	"strings"
)

// expression is the text of one expression while it is read, with the names and values that it may use.
type expression struct {
	tokens []string
	names  map[string]string
	values map[string]value
	used   map[string]bool // the names and values that were used so far; shared by the expressions of a call
}

// scope is what the expressions of one call share.
type scope struct {
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]value

	used map[string]bool
}

// read cuts an expression into its tokens.
func (s *scope) read(text string) (*expression, error) {
	if s.used == nil {
		s.used = map[string]bool{}
	}
	e := &expression{names: s.ExpressionAttributeNames, values: s.ExpressionAttributeValues, used: s.used}
	token := regexp.MustCompile(`^(\s+|[#:][A-Za-z0-9_]+|[A-Za-z_]+|[0-9]+|<>|<=|>=|[=<>(),.+\-\[\]])`)
	for text != "" {
		found := token.FindString(text)
		if found == "" {
			return nil, invalid("invalid expression: syntax error; token: " + text)
		}
		if strings.TrimSpace(found) != "" {
			e.tokens = append(e.tokens, found)
		}
		text = text[len(found):]
	}
	if len(e.tokens) == 0 {
		return nil, invalid("invalid expression: the expression can not be empty")
	}
	return e, nil
}

// finish refuses names and values that no expression used.
func (s *scope) finish() error {
	for name := range s.ExpressionAttributeNames {
		if !s.used[name] {
			return invalid("value provided in ExpressionAttributeNames unused in expressions: " + name)
		}
	}
	for name := range s.ExpressionAttributeValues {
		if !s.used[name] {
			return invalid("value provided in ExpressionAttributeValues unused in expressions: " + name)
		}
	}
	return nil
}

func (e *expression) peek() string {
	if len(e.tokens) == 0 {
		return ""
	}
	return e.tokens[0]
}

func (e *expression) next() string {
	t := e.peek()
	if t != "" {
		e.tokens = e.tokens[1:]
	}
	return t
}

// take takes the next token if it is the one, words in any case.
func (e *expression) take(token string) bool {
	if !strings.EqualFold(e.peek(), token) {
		return false
	}
	e.next()
	return true
}

func (e *expression) want(token string) error {
	if e.take(token) {
		return nil
	}
	return e.wrong()
}

// unexpected is a token that is wrong, or a word that DynamoDB knows and the fake does not.
func unexpected(token string) error {
	if regexp.MustCompile(`^[A-Za-z_]+$`).MatchString(token) {
		return refuse("the word " + token + "; attributes are named by #names")
	}
	return invalid("invalid expression: syntax error; token: " + token)
}

func (e *expression) wrong() error {
	return invalid("invalid expression: syntax error; token: " + e.peek())
}

func (e *expression) value(name string) (value, error) {
	v, ok := e.values[name]
	if !ok {
		return value{}, invalid("invalid expression: an expression attribute value used in expression is not defined: " + name)
	}
	e.used[name] = true
	return v, nil
}

// path reads #a.#b; elements of lists are refused.
func (e *expression) path() (path, error) {
	var p path
	for {
		token := e.next()
		if !strings.HasPrefix(token, "#") {
			return nil, unexpected(token)
		}
		name, ok := e.names[token]
		if !ok {
			return nil, invalid("invalid expression: an expression attribute name used in the document path is not defined: " + token)
		}
		e.used[token] = true
		p = append(p, name)
		if e.peek() == "[" {
			return nil, refuse("elements of lists in a path")
		}
		if !e.take(".") {
			return p, nil
		}
	}
}

// path names an attribute, from the item down.
type path []string

// of is the value at p.
func (p path) of(it item) (value, bool) {
	v, ok := it[p[0]]
	for _, name := range p[1:] {
		if !ok || v.kind != "M" {
			return value{}, false
		}
		v, ok = v.fields[name]
	}
	return v, ok
}

// projection reads the paths of a ProjectionExpression; nil = all.
func (s *scope) projection(text *string) ([]path, error) {
	if text == nil {
		return nil, nil
	}
	e, err := s.read(*text)
	if err != nil {
		return nil, err
	}
	var out []path
	for {
		p, err := e.path()
		if err != nil {
			return nil, err
		}
		out = append(out, p)
		if !e.take(",") {
			break
		}
	}
	if e.peek() != "" {
		return nil, e.wrong()
	}
	return out, nil
}

// project is what of an item the paths name.
func project(it item, paths []path) item {
	if it == nil || paths == nil {
		return it
	}
	out := item{}
	for _, p := range paths {
		v, ok := p.of(it)
		if !ok {
			continue
		}
		into := out
		for _, name := range p[:len(p)-1] {
			if into[name].fields == nil {
				into[name] = value{kind: "M", fields: map[string]value{}}
			}
			into = into[name].fields
		}
		into[p[len(p)-1]] = v
	}
	return out
}
