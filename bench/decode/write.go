package decode

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// columns names the columns of the CSV log: the members in their order.
func columns() []string {
	var names []string
	for _, m := range members(Row{}, other{}) {
		names = append(names, m.name)
	}
	return names
}

// member is a member of a JSON object or a pair of a logfmt line, its value as it is written.
type member struct {
	name, value string
	wanted      bool
}

// members lists what a record says in the order of its writer.
func members(r Row, o other) []member {
	float := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return []member{
		{"ts_ms", strconv.FormatInt(r.TS, 10), true},
		{"level", strconv.Quote(o.level), false},
		{"tenant", strconv.Quote(r.Tenant), true},
		{"key", strconv.Quote(r.Key), true},
		{"op", strconv.Quote(r.Op), true},
		{"weight", float(r.Weight), true},
		{"shard", strconv.Quote(r.Shard), true},
		{"trace_id", strconv.Quote(o.trace), false},
		{"client_ip", strconv.Quote(o.ip), false},
		{"host", strconv.Quote(o.host), false},
		{"bytes", float(r.Bytes), true},
		{"latency_us", float(r.Latency), true},
		{"status", strconv.Itoa(r.Status), true},
		{"msg", strconv.Quote(o.msg), false},
	}
}

// writer returns what writes one line of a format.
func writer(format string, rng *rand.Rand) (func(Row, other) string, error) {
	switch format {
	case "json":
		return func(r Row, o other) string { return object(members(r, o)) }, nil
	case "json-mixed":
		return mixed(rng), nil
	case "json-shuffled":
		return func(r Row, o other) string {
			all := members(r, o)
			rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			return object(all)
		}, nil
	case "csv", "csv-values":
		return row, nil
	case "logfmt":
		return func(r Row, o other) string { return pairs(members(r, o)) }, nil
	case "combined":
		return access, nil
	default:
		return nil, fmt.Errorf("format %q is not one of %s", format, strings.Join(Formats(), ", "))
	}
}

// object writes JSON.
func object(all []member) string {
	parts := make([]string, len(all))
	for i, m := range all {
		parts[i] = strconv.Quote(m.name) + ":" + m.value
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// mixed returns a writer of eight orders, which leaves out every unwanted member of one record in four.
func mixed(rng *rand.Rand) func(Row, other) string {
	var orders [8][]int
	for i := range orders {
		orders[i] = rng.Perm(len(members(Row{}, other{})))
	}
	return func(r Row, o other) string {
		all := members(r, o)
		var kept []member
		short := rng.IntN(4) == 0
		for _, i := range orders[rng.IntN(len(orders))] {
			if all[i].wanted || !short {
				kept = append(kept, all[i])
			}
		}
		return object(kept)
	}
}

// row writes CSV.
func row(r Row, o other) string {
	var fields []string
	for _, m := range members(r, o) {
		fields = append(fields, strings.Trim(m.value, `"`))
	}
	return strings.Join(fields, ",")
}

// pairs writes logfmt; only what holds a space is quoted.
func pairs(all []member) string {
	parts := make([]string, len(all))
	for i, m := range all {
		if !strings.Contains(m.value, " ") {
			m.value = strings.Trim(m.value, `"`)
		}
		parts[i] = m.name + "=" + m.value
	}
	return strings.Join(parts, " ")
}

// access writes the combined access log.
func access(r Row, o other) string {
	at := time.UnixMilli(r.TS).UTC().Format("02/Jan/2006:15:04:05 -0700")
	return fmt.Sprintf(`%s - - [%s] "%s %s HTTP/1.1" %d %.0f "https://%s.example/start" "Mozilla/5.0 (X11; Linux x86_64) %s"`,
		r.Tenant, at, r.Op, r.Key, r.Status, r.Bytes, o.host, o.trace)
}
