package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// inGrafana puts values where a query has variables of the dashboard or of Grafana.
func inGrafana(expr string) string {
	return strings.NewReplacer("$__rate_interval", "1m", "$job", "firebreak", "$fleet", ".+").Replace(expr)
}

// problems lists what is wrong with a query: names that do not exist, labels that a metric does not have, values that a label
// never has, counters that are not looked at by their increase, gauges that are.
func (v *vocabulary) problems(expr string) []string {
	tree, err := parser.ParseExpr(expr)
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	bad := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	parser.Inspect(tree, func(node parser.Node, path []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			v.selector(n, path, bad)
		case *parser.AggregateExpr:
			v.grouping("by or without", n.Grouping, n.Expr, bad)
		case *parser.BinaryExpr:
			if m := n.VectorMatching; m != nil {
				v.grouping("on or ignoring", m.MatchingLabels, n.LHS, bad)
				v.grouping("on or ignoring", m.MatchingLabels, n.RHS, bad)
			}
		}
		return nil
	})
	return found
}

func (v *vocabulary) selector(s *parser.VectorSelector, path []parser.Node, bad func(string, ...any)) {
	has, kind, ok := v.labels(s.Name)
	if !ok {
		bad("there is no metric %q", s.Name)
		return
	}
	for _, m := range s.LabelMatchers {
		if m.Name == labels.MetricName {
			continue
		}
		if !slices.Contains(has, m.Name) {
			bad("%s has no label %q, it has %v", s.Name, m.Name, has)
		}
		values, closed := v.values[[2]string{s.Name, m.Name}]
		if !closed {
			continue
		}
		for one := range strings.SplitSeq(m.Value, "|") {
			if !slices.Contains(values, one) {
				bad("%s: %s is never %q, it is one of %v", s.Name, m.Name, one, values)
			}
		}
	}
	if increases := inRange(path); increases != (kind == "counter" || kind == "histogram") {
		bad("%s is a %s, its increase is taken: %v", s.Name, kind, increases)
	}
}

// inRange says whether the innermost call around a selector takes an increase.
func inRange(path []parser.Node) bool {
	for _, node := range slices.Backward(path) {
		if c, ok := node.(*parser.Call); ok {
			return slices.Contains([]string{"rate", "increase", "irate"}, c.Func.Name)
		}
	}
	return false
}

// grouping wants each label of a list to be on the series of an expression.
func (v *vocabulary) grouping(what string, list []string, below parser.Expr, bad func(string, ...any)) {
	for _, l := range list {
		if !v.carries(below, l) {
			bad("%s %v: %s has no label %q", what, list, below, l)
		}
	}
}

// carries says whether the series of an expression have a label. Names that are not known are found elsewhere.
func (v *vocabulary) carries(expr parser.Expr, label string) bool {
	switch e := expr.(type) {
	case *parser.VectorSelector:
		has, _, known := v.labels(e.Name)
		return !known || slices.Contains(has, label)
	case *parser.AggregateExpr:
		return slices.Contains(e.Grouping, label) != e.Without && (!e.Without || v.carries(e.Expr, label))
	case *parser.BinaryExpr:
		switch {
		case e.LHS.Type() == parser.ValueTypeScalar:
			return v.carries(e.RHS, label)
		case e.Op == parser.LOR:
			return v.carries(e.LHS, label) && v.carries(e.RHS, label)
		}
		return v.carries(e.LHS, label)
	case *parser.Call:
		for _, arg := range e.Args {
			if t := arg.Type(); t == parser.ValueTypeVector || t == parser.ValueTypeMatrix {
				return v.carries(arg, label) && (e.Func.Name != "histogram_quantile" || label != "le")
			}
		}
	case *parser.MatrixSelector:
		return v.carries(e.VectorSelector, label)
	case *parser.SubqueryExpr:
		return v.carries(e.Expr, label)
	case *parser.ParenExpr:
		return v.carries(e.Expr, label)
	}
	return false
}
