package draw

import (
	_ "embed"
	"html/template"
	"reflect"
)

//go:embed draw.tmpl
var figures string

// Parse adds the figures to a page's templates: heatmap, bars, range and curve, each of the figure of that name, pinned of the
// labels of a heat map alone, to stay in sight where it is scrolled, legend of a [Scale]'s steps, and name of a string that is a name already shown by [Name]. Their classes are styled by the
// page. It also adds the function glue, see [Glue].
func Parse(t *template.Template) (*template.Template, error) {
	return t.Funcs(template.FuncMap{"glue": Glue, "brief": brief}).Parse(figures)
}

// brief says whether a name, of any type that is a string, is so short that it fits every line and column, and need not be broken at its hyphens.
func brief(name any) bool {
	v := reflect.ValueOf(name)
	return v.Kind() == reflect.String && v.Len() <= 20
}
