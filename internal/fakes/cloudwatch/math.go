package cloudwatch

import (
	"regexp"
	"strconv"
	"strings"
)

// calculator computes a metric math expression at one minute: numbers, metrics by id, + - * / and brackets, and FILL of a metric by a
// number.
type calculator struct {
	words  []string
	values map[string]map[int64]float64
	at     int64
	absent bool // a metric has no value at this minute
	failed *failure
}

// compute gives an expression at every minute at which all its metrics have a value; status is that of a metric without values.
func compute(expression string, values map[string]map[int64]float64, bad map[string]string) (out map[int64]float64, status string, failed *failure) {
	words := regexp.MustCompile(`[A-Za-z0-9_.]+|[-+*/()]|\S`).FindAllString(expression, -1)
	minutes := map[int64]bool{}
	for _, w := range words {
		for t := range values[w] {
			minutes[t] = true
		}
		if bad[w] != "" {
			status = bad[w]
		}
	}
	out = map[int64]float64{}
	minutes[0] = true // which nothing has a value at: what is wrong with an expression is told without data, too
	for t := range minutes {
		c := &calculator{words: words, values: values, at: t}
		v := c.sum()
		if c.failed == nil && len(c.words) > 0 {
			c.fail("unread: " + strings.Join(c.words, " "))
		}
		if c.failed != nil {
			return nil, "", c.failed
		}
		if !c.absent {
			out[t] = v
		}
	}
	delete(out, 0)
	return out, status, nil
}

func (c *calculator) fail(what string) {
	if c.failed == nil {
		c.failed = &failure{Invalid, "the expression: " + what}
	}
}

// next takes the next word if it is one of these; none = any.
func (c *calculator) next(of string) string {
	if len(c.words) == 0 || of != "" && !strings.Contains(of, c.words[0]) {
		return ""
	}
	w := c.words[0]
	c.words = c.words[1:]
	return w
}

func (c *calculator) sum() float64 {
	v := c.product()
	for {
		switch c.next("+-") {
		case "+":
			v += c.product()
		case "-":
			v -= c.product()
		default:
			return v
		}
	}
}

func (c *calculator) product() float64 {
	v := c.factor()
	for {
		switch c.next("*/") {
		case "*":
			v *= c.factor()
		case "/":
			by := c.factor()
			if c.absent = c.absent || by == 0; by != 0 { // as CloudWatch: no point where it would divide by 0
				v /= by
			}
		default:
			return v
		}
	}
}

func (c *calculator) factor() float64 {
	word := c.next("")
	if word == "(" {
		v := c.sum()
		if c.next(")") == "" {
			c.fail("want )")
		}
		return v
	}
	if word == "FILL" {
		return c.fill()
	}
	if v, err := strconv.ParseFloat(word, 64); err == nil {
		return v
	}
	v, ok := c.metric(word)
	c.absent = c.absent || !ok
	return v
}

func (c *calculator) metric(id string) (v float64, ok bool) {
	series, known := c.values[id]
	if !known {
		c.fail("there is no metric " + strconv.Quote(id))
	}
	v, ok = series[c.at]
	return v, ok
}

// fill is FILL(metric, number), where it stands at a minute at which another metric has a value.
func (c *calculator) fill() float64 {
	open, id, comma, number, end := c.next("("), c.next(""), c.next(","), c.next(""), c.next(")")
	instead, err := strconv.ParseFloat(number, 64)
	if open == "" || comma == "" || end == "" || err != nil {
		c.fail("want FILL(metric, number)")
	}
	if v, ok := c.metric(id); ok {
		return v
	}
	return instead
}
