package strictyaml

import (
	"errors"
	"fmt"
)

// FieldError is an error that knows which field of the judged value it is about. What the UnmarshalYAML of a type returns, joined
// or not, is put where that field stands in the file. Packages that may not import this one have a type of their own that is one.
type FieldError interface {
	error
	// Field returns the path of the field from the judged value on, "record.ops[0].op" (empty: the value itself), and what is
	// wrong with it, without the path.
	Field() (path, problem string)
}

// Chooser is a FieldError about a word that is none of a closed set: the nearest one of it is offered. An empty set offers none.
type Chooser interface {
	FieldError
	Choices() (given string, known []string)
}

// Comparer is a FieldError that holds only beside the values of other fields, given by their paths from the judged value on.
type Comparer interface {
	FieldError
	Compared() []string
}

// fieldProblem is the FieldError of this package.
type fieldProblem struct {
	path, problem string
	given         string
	known         []string
	compared      []string
	err           error // nil if there is none below
}

// Wrong makes a FieldError.
func Wrong(path, format string, args ...any) error {
	return &fieldProblem{path: path, problem: fmt.Sprintf(format, args...)}
}

// Conflict makes a FieldError of a value that cannot stand beside those of other fields.
func Conflict(path string, others []string, format string, args ...any) error {
	return &fieldProblem{path: path, problem: fmt.Sprintf(format, args...), compared: others}
}

// In puts every error of err, taken apart where they are joined, into the field of that path. What is no FieldError is about the
// field itself.
func In(path string, err error) error {
	all := leaves(err)
	for i, e := range all {
		p := &fieldProblem{path: path, problem: e.Error(), err: e}
		if field, ok := errors.AsType[FieldError](e); ok {
			var inner string
			inner, p.problem = field.Field()
			p.path = join(path, inner)
		}
		if choice, ok := errors.AsType[Chooser](e); ok {
			p.given, p.known = choice.Choices()
		}
		if compared, ok := errors.AsType[Comparer](e); ok {
			for _, other := range compared.Compared() {
				p.compared = append(p.compared, join(path, other))
			}
		}
		all[i] = p
	}
	return errors.Join(all...)
}

// join is the path of a field in the value at another path.
func join(path, field string) string {
	if path == "" || field == "" || field[0] == '[' {
		return path + field
	}
	return path + "." + field
}

// Error names the field and what is wrong with it.
func (p *fieldProblem) Error() string {
	text := p.problem + meant(p.given, p.known)
	if p.path == "" {
		return text
	}
	return p.path + ": " + text
}

// Field implements FieldError.
func (p *fieldProblem) Field() (path, problem string) { return p.path, p.problem }

// Choices implements Chooser.
func (p *fieldProblem) Choices() (given string, known []string) { return p.given, p.known }

// Compared implements Comparer.
func (p *fieldProblem) Compared() []string { return p.compared }

// Unwrap returns the error that was put into its field.
func (p *fieldProblem) Unwrap() error { return p.err }
