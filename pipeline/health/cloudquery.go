package health

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
)

const (
	// shardMark stands for the shard in the value of a dimension.
	shardMark = "{shard}"
	// ownID is the metric of CloudQuery.Name in its expression.
	ownID = "x"
	// mostQueries is the most that one call may ask for, each metric of an expression and the expression itself among them:
	// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
	mostQueries = 500
	// period is that of the data points, in seconds.
	period = 60
)

// idForm is what CloudWatch takes for the name of a metric in an expression.
func idForm() *regexp.Regexp { return regexp.MustCompile(`^[a-z][A-Za-z0-9_]*$`) }

// wordForm finds what may be such a name in an expression.
func wordForm() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9_]+`) }

// group is the queries of one metric of one shard, which must stand in one call.
type group struct {
	query   int    // of the configuration
	outside string // shard as CloudWatch calls it
	id      string // of the one that gives the value
	queries []types.MetricDataQuery
}

// groups are all that is to be asked for, in the order of the shards.
func (c *CloudWatch) groups(outside []string) []group {
	var all []group
	for _, o := range outside {
		for i := range c.Queries {
			all = append(all, c.group(i, o, fmt.Sprintf("q%d", len(all))))
		}
	}
	return all
}

// group makes the queries of one metric of one shard; prefix makes their names unique.
func (c *CloudWatch) group(query int, outside, prefix string) group {
	q := &c.Queries[query]
	g := group{query: query, outside: outside, id: prefix}
	stat := func(id, name, stat string, shown bool) {
		g.queries = append(g.queries, types.MetricDataQuery{Id: aws.String(id), ReturnData: aws.Bool(shown), MetricStat: &types.MetricStat{
			Metric: &types.Metric{Namespace: aws.String(c.Namespace), MetricName: aws.String(name), Dimensions: c.dimensions(outside)},
			Stat:   aws.String(cmp.Or(stat, "Average")), Period: aws.Int32(period),
		}})
	}
	if q.Expression == "" {
		stat(prefix, q.Name, q.Stat, true)
		return g
	}
	ids := map[string]string{}
	if q.Name != "" {
		ids[ownID] = prefix + "_" + ownID
		stat(ids[ownID], q.Name, q.Stat, false)
	}
	for _, id := range sortedKeys(q.Of) {
		ids[id] = prefix + "_" + id
		stat(ids[id], q.Of[id].Name, q.Of[id].Stat, false)
	}
	expression := wordForm().ReplaceAllStringFunc(q.Expression, func(word string) string { return cmp.Or(ids[word], word) })
	g.queries = append(g.queries, types.MetricDataQuery{Id: aws.String(prefix), Expression: aws.String(expression), Period: aws.Int32(period), ReturnData: aws.Bool(true)})
	return g
}

func (c *CloudWatch) dimensions(outside string) []types.Dimension {
	var all []types.Dimension
	for _, name := range sortedKeys(c.Dimensions) {
		all = append(all, types.Dimension{Name: aws.String(name), Value: aws.String(strings.ReplaceAll(c.Dimensions[name], shardMark, outside))})
	}
	return all
}

// calls parts groups into calls of at most mostQueries.
func calls(all []group) [][]group {
	var out [][]group
	n := mostQueries
	for _, g := range all {
		if n += len(g.queries); n > mostQueries {
			out, n = append(out, nil), len(g.queries)
		}
		out[len(out)-1] = append(out[len(out)-1], g)
	}
	return out
}
