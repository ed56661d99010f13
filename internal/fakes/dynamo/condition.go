package dynamo

import (
	"slices"
	"strings"
)

// condition says whether an item fits; nil = there is none.
type condition func(it item) (bool, error)

// condition reads a ConditionExpression, by
//
//	or      = and { OR and }
//	and     = not { AND not }
//	not     = NOT not | '(' or ')' | function | operand comparator operand
//
// with attribute_exists, attribute_not_exists, begins_with and contains, and the comparators = <> < <= > >=.
func (s *scope) condition(text *string) (condition, error) {
	if text == nil {
		return func(item) (bool, error) { return true, nil }, nil
	}
	e, err := s.read(*text)
	if err != nil {
		return nil, err
	}
	c, err := e.or()
	if err == nil && e.peek() != "" {
		err = e.wrong()
	}
	return c, err
}

func (e *expression) or() (condition, error) { return e.chain("OR", e.and, true) }

func (e *expression) and() (condition, error) { return e.chain("AND", e.not, false) }

// chain reads parts with a word between them; stop is the result of a part that decides.
func (e *expression) chain(word string, part func() (condition, error), stop bool) (condition, error) {
	var parts []condition
	for {
		c, err := part()
		if err != nil {
			return nil, err
		}
		parts = append(parts, c)
		if !e.take(word) {
			break
		}
	}
	return func(it item) (bool, error) {
		for _, c := range parts {
			if ok, err := c(it); err != nil || ok == stop {
				return ok, err
			}
		}
		return !stop, nil
	}, nil
}

func (e *expression) not() (condition, error) {
	switch {
	case e.take("NOT"):
		c, err := e.not()
		return func(it item) (bool, error) {
			ok, err := c(it)
			return !ok, err
		}, err
	case e.take("("):
		c, err := e.or()
		if err != nil {
			return nil, err
		}
		return c, e.want(")")
	case len(e.tokens) > 1 && e.tokens[1] == "(":
		return e.function()
	}
	return e.comparison()
}

func (e *expression) function() (condition, error) {
	name := e.next()
	_ = e.next() // the bracket that made it a function
	p, err := e.path()
	if err != nil {
		return nil, err
	}
	var c condition
	switch name {
	case "attribute_exists":
		c = func(it item) (bool, error) { _, ok := p.of(it); return ok, nil }
	case "attribute_not_exists":
		c = func(it item) (bool, error) { _, ok := p.of(it); return !ok, nil }
	case "begins_with", "contains":
		if err := e.want(","); err != nil {
			return nil, err
		}
		v, err := e.value(e.next())
		if err != nil {
			return nil, err
		}
		test := contains
		if name == "begins_with" {
			test = begins
			if v.kind != "S" && v.kind != "B" {
				return nil, mistyped(name, v)
			}
		}
		c = func(it item) (bool, error) { a, ok := p.of(it); return ok && test(a, v), nil }
	default:
		return nil, refuse("the function " + name)
	}
	return c, e.want(")")
}

// mistyped is a value of a type that a function or a comparator does not take.
func mistyped(by string, v value) error {
	return invalid("invalid expression: incorrect operand type for operator or function: " + by + ", operand type: " + v.kind)
}

func begins(a, v value) bool {
	return a.kind == "S" && v.kind == "S" && strings.HasPrefix(a.text, v.text)
}

func contains(a, v value) bool {
	switch a.kind {
	case "S":
		return v.kind == "S" && strings.Contains(a.text, v.text)
	case "SS", "NS":
		return a.kind == v.kind+"S" && slices.Contains(a.set, v.text)
	case "L":
		return slices.ContainsFunc(a.list, v.equal)
	}
	return false
}

// operand is a path or a value.
type operand func(it item) (value, bool)

func (e *expression) operand() (operand, error) {
	if strings.HasPrefix(e.peek(), ":") {
		v, err := e.value(e.next())
		return func(item) (value, bool) { return v, true }, err
	}
	p, err := e.path()
	return p.of, err
}

func (e *expression) comparison() (condition, error) {
	from := e.tokens
	a, err := e.operand()
	if err != nil {
		return nil, err
	}
	by := e.next()
	if !slices.Contains([]string{"=", "<>", "<", "<=", ">", ">="}, by) {
		return nil, unexpected(by)
	}
	b, err := e.operand()
	if err != nil {
		return nil, err
	}
	if by != "=" && by != "<>" {
		for _, token := range from[:len(from)-len(e.tokens)] {
			if v, is := e.values[token]; is && !slices.Contains([]string{"S", "N", "B"}, v.kind) {
				return nil, mistyped(by, v)
			}
		}
	}
	return func(it item) (bool, error) {
		x, hasX := a(it)
		y, hasY := b(it)
		return compare(x, hasX, by, y, hasY), nil
	}, nil
}

// compare is false where a side is missing or the types differ, but for <>.
func compare(x value, hasX bool, by string, y value, hasY bool) bool {
	switch by {
	case "=":
		return hasX && hasY && x.equal(y)
	case "<>":
		return hasX != hasY || hasX && !x.equal(y)
	}
	order, ok := x.compare(y)
	if !hasX || !hasY || !ok {
		return false
	}
	switch by {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}
