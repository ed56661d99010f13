package strictyaml

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// word is a scalar as written.
type word struct {
	text   string
	quoted bool // cannot be a number or a bool
	typed  bool // YAML reads it as a number or a bool, so it is not text
}

// wordOf returns the scalar at n; false if n is a list or a mapping.
func wordOf(n ast.Node) (word, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return word{text: n.Value, quoted: n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType}, true
	case *ast.LiteralNode:
		return word{text: n.Value.Value, quoted: true}, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return word{text: n.GetToken().Value, typed: true}, true
	}
	return word{}, false
}

// scalar sets a string, bool, number or duration.
func (d *decoder) scalar(n ast.Node, v reflect.Value, p place) {
	w, ok := wordOf(n)
	switch kind := v.Kind(); {
	case v.Type() == reflect.TypeFor[time.Duration]():
		d.text(n, func(text []byte) error {
			dur, err := parseDuration(string(text))
			v.SetInt(int64(dur))
			return err
		}, func() []string { return nil }, p)
	case kind == reflect.String && (!ok || w.typed):
		d.wrong(n, p, "text (in quotes)")
	case kind == reflect.String:
		v.SetString(w.text)
	case kind == reflect.Bool:
		if _, isBool := n.(*ast.BoolNode); !isBool {
			d.wrong(n, p, "true or false")
			return
		}
		v.SetBool(strings.EqualFold(w.text, "true"))
	case v.CanInt() || v.CanUint() || v.CanFloat():
		if !ok || w.quoted || !setNumber(v, w.text) {
			d.wrong(n, p, numberWanted(v))
		}
	default:
		d.add(n, p, "cannot be set from a file (its Go type is "+v.Type().String()+")")
	}
}

// setNumber sets v; false if text is not a finite number that fits. "010" is refused: it is 8 to some and 10 to others.
func setNumber(v reflect.Value, text string) bool {
	if digits := strings.TrimLeft(text, "+-"); len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return false
	}
	bits := v.Type().Bits()
	if v.CanUint() {
		u, err := strconv.ParseUint(text, 0, bits)
		v.SetUint(u)
		return err == nil
	}
	i, err := strconv.ParseInt(text, 0, 64)
	if v.CanInt() {
		v.SetInt(i)
		return err == nil && !v.OverflowInt(i)
	}
	f := float64(i) // YAML allows 100_000, ParseFloat does not
	if err != nil {
		f, err = strconv.ParseFloat(text, bits)
	}
	v.SetFloat(f)
	return err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

func numberWanted(v reflect.Value) string {
	switch bits := v.Type().Bits(); {
	case v.CanUint():
		return fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)>>(64-bits))
	case v.CanInt() && bits < 64:
		return fmt.Sprintf("a whole number from %d to %d", int64(math.MinInt64)>>(64-bits), int64(math.MaxInt64)>>(64-bits))
	case v.CanInt():
		return "a whole number"
	}
	return "a number"
}

// wrong notes that something else than want stands at n.
func (d *decoder) wrong(n ast.Node, p place, want string) {
	got := "a list"
	w, scalar := wordOf(n)
	switch {
	case scalar && w.typed:
		got = "one value"
		if !p.secret {
			got = w.text
		}
	case scalar && w.quoted:
		got = "quoted text" + p.show(w.text)
	case scalar:
		got = "text" + p.show(w.text)
	case n.Type() == ast.MappingType:
		got = "fields (name: value)"
	}
	d.add(n, p, "want "+want+", got "+got)
}

// show is text with a space in front, or nothing where it may not be shown.
func (p place) show(text string) string {
	if p.secret {
		return ""
	}
	return " " + shown(text)
}

// shown quotes text, cut after 40 characters.
func shown(text string) string {
	if r := []rune(text); len(r) > 40 {
		return strconv.Quote(string(r[:40])) + "..."
	}
	return strconv.Quote(text)
}

// isName reports whether text looks like a field's name: letters, digits, "_", "-"; at most 40.
func isName(text string) bool {
	trimmed := strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
	return text != "" && len(text) <= 40 && trimmed == ""
}
