package cloudwatch

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/smithy-go/encoding/cbor"
)

// result is what one query has.
type result struct {
	id, status string
	points     []Point
}

// answer is called with the lock.
func (s *Server) answer(in *request) (cbor.Value, *failure) {
	values := map[string]map[int64]float64{}
	bad := map[string]string{}
	var results []result
	for _, q := range in.queries {
		if q.metric == "" {
			continue
		}
		values[q.id] = map[int64]float64{}
		for _, p := range s.series[q.metric] {
			if !p.At.Before(in.start) && p.At.Before(in.end) {
				values[q.id][p.At.Unix()] = p.Value
			}
		}
		if status := s.status[q.name]; status != "" {
			bad[q.id] = status
		}
	}
	for _, q := range in.queries {
		if q.metric == "" {
			computed, status, failed := compute(q.expression, values, bad)
			if failed != nil {
				return nil, failed
			}
			if values[q.id] = computed; status != "" {
				bad[q.id] = status
			}
		}
		if !q.shown {
			continue
		}
		one := result{id: q.id, status: "Complete"}
		if bad[q.id] != "" {
			one.status = bad[q.id]
		} else {
			one.points = ordered(values[q.id], in.ascending)
		}
		results = append(results, one)
	}
	return s.paged(in, results)
}

// ordered are points by time.
func ordered(values map[int64]float64, ascending bool) []Point {
	at := slices.Sorted(maps.Keys(values))
	if !ascending {
		slices.Reverse(at)
	}
	var out []Point
	for _, t := range at {
		out = append(out, Point{time.Unix(t, 0), values[t]})
	}
	return out
}

// paged gives the page that the token asks for.
func (s *Server) paged(in *request, results []result) (cbor.Value, *failure) {
	skip, left := 0, int(^uint(0)>>1)
	if in.token != "" {
		n, err := strconv.Atoi(in.token)
		if err != nil {
			return nil, &failure{"InvalidNextToken", "the token is not valid"}
		}
		skip = n
	}
	if s.page > 0 {
		left = s.page
	}
	list, next, passed := cbor.List{}, "", 0
	for _, r := range results {
		from := min(max(0, skip-passed), len(r.points))
		passed += len(r.points)
		shown := r.points[from:min(len(r.points), from+left)]
		left -= len(shown)
		if from > 0 && from == len(r.points) || len(r.points) > 0 && len(shown) == 0 {
			if from < len(r.points) && next == "" {
				next = strconv.Itoa(passed - len(r.points) + from)
			}
			continue
		}
		if from+len(shown) < len(r.points) && next == "" {
			r.status, next = "PartialData", strconv.Itoa(passed-len(r.points)+from+len(shown))
		}
		list = append(list, r.encode(shown))
	}
	out := cbor.Map{"MetricDataResults": list, "Messages": cbor.List{}}
	if next != "" {
		out["NextToken"] = cbor.String(next)
	}
	return out, nil
}

func (r *result) encode(points []Point) cbor.Value {
	times, values := cbor.List{}, cbor.List{}
	for _, p := range points {
		times = append(times, &cbor.Tag{ID: 1, Value: cbor.Float64(float64(p.At.Unix()))})
		values = append(values, cbor.Float64(p.Value))
	}
	return cbor.Map{"Id": cbor.String(r.id), "Label": cbor.String(r.id), "StatusCode": cbor.String(r.status), "Timestamps": times, "Values": values}
}
