package dynamo

import (
	"slices"
	"strings"
)

// update reads an UpdateExpression: SET path = operand, or operand + operand, operand - operand, if_not_exists(path, :v); ADD path :v to
// a number or a set; REMOVE path. Each word stands once.
func (s *scope) update(text *string) (func(item) error, error) {
	if text == nil {
		return nil, refuse("an update without an expression")
	}
	e, err := s.read(*text)
	if err != nil {
		return nil, err
	}
	var all []func(was, is item) error
	seen := map[string]bool{}
	for e.peek() != "" {
		word := strings.ToUpper(e.next())
		clause := map[string]func() (func(was, is item) error, error){"SET": e.set, "ADD": e.add, "REMOVE": e.remove}[word]
		if clause == nil {
			return nil, refuse("the clause " + word)
		}
		if seen[word] {
			return nil, invalid("invalid UpdateExpression: the section " + word + " can only be used once")
		}
		seen[word] = true
		for {
			f, err := clause()
			if err != nil {
				return nil, err
			}
			all = append(all, f)
			if !e.take(",") {
				break
			}
		}
	}
	return func(is item) error {
		was := is.clone() // every clause reads what stood before all of them
		for _, f := range all {
			if err := f(was, is); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// top reads an attribute of the item itself: what firebreak and its examples change.
func (e *expression) top() (string, error) {
	p, err := e.path()
	if err != nil {
		return "", err
	}
	if len(p) != 1 {
		return "", refuse("an update inside an attribute")
	}
	if p[0] == partitionName || p[0] == sortName {
		return "", invalid("one or more parameter values were invalid: cannot update attribute " + p[0] + "; it is part of the key")
	}
	return p[0], nil
}

func (e *expression) set() (func(was, is item) error, error) {
	name, err := e.top()
	if err != nil {
		return nil, err
	}
	if err := e.want("="); err != nil {
		return nil, err
	}
	from := e.tokens
	a, err := e.setOperand()
	if err != nil {
		return nil, err
	}
	by := e.peek()
	if by != "+" && by != "-" {
		return func(was, is item) error {
			v, ok := a(was)
			if !ok {
				return invalid("the provided expression refers to an attribute that does not exist in the item")
			}
			is[name] = v.clone()
			return nil
		}, nil
	}
	e.next()
	b, err := e.setOperand()
	if err != nil {
		return nil, err
	}
	read := from[:len(from)-len(e.tokens)]
	for _, token := range []string{read[0], read[len(read)-1]} { // what stands in a function is seen only where it is used
		if v, is := e.values[token]; is && v.kind != "N" {
			return nil, mistyped(by, v)
		}
	}
	return func(was, is item) error {
		x, hasX := a(was)
		y, hasY := b(was)
		if !hasX || !hasY {
			return invalid("the provided expression refers to an attribute that does not exist in the item")
		}
		if x.kind != "N" || y.kind != "N" {
			return invalid("an operand in the update expression has an incorrect data type")
		}
		sum, err := add(x.text, y.text, by == "-")
		is[name] = value{kind: "N", text: sum}
		return err
	}, nil
}

// setOperand is an operand, or if_not_exists(path, operand).
func (e *expression) setOperand() (operand, error) {
	if !e.take("if_not_exists") {
		if len(e.tokens) > 1 && e.tokens[1] == "(" {
			return nil, refuse("the function " + e.peek())
		}
		return e.operand()
	}
	if err := e.want("("); err != nil {
		return nil, err
	}
	p, err := e.path()
	if err != nil {
		return nil, err
	}
	if err := e.want(","); err != nil {
		return nil, err
	}
	or, err := e.operand()
	if err != nil {
		return nil, err
	}
	return func(it item) (value, bool) {
		if v, ok := p.of(it); ok {
			return v, true
		}
		return or(it)
	}, e.want(")")
}

func (e *expression) add() (func(was, is item) error, error) {
	name, err := e.top()
	if err != nil {
		return nil, err
	}
	v, err := e.value(e.next())
	if err != nil {
		return nil, err
	}
	if v.kind != "N" && v.kind != "SS" && v.kind != "NS" {
		return nil, invalid("invalid UpdateExpression: incorrect operand type for ADD: " + v.kind)
	}
	return func(was, is item) error {
		old, ok := was[name]
		switch {
		case !ok:
			is[name] = v.clone()
			return nil
		case old.kind != v.kind:
			return invalid("an operand in the update expression has an incorrect data type")
		case v.kind == "N":
			sum, err := add(old.text, v.text, false)
			is[name] = value{kind: "N", text: sum}
			return err
		}
		both := append(slices.Clone(old.set), v.set...)
		slices.Sort(both)
		is[name] = value{kind: v.kind, set: slices.Compact(both)}
		return nil
	}, nil
}

func (e *expression) remove() (func(was, is item) error, error) {
	name, err := e.top()
	return func(_, is item) error {
		delete(is, name)
		return nil
	}, err
}
