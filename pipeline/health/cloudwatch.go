package health

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/smithy-go"

	"firebreak/policy"
)

const (
	// lookBack is how old a data point may be when it is asked for: services publish minutes late.
	lookBack = 5 * time.Minute
	// mostPages bounds an answer, should its pages never end.
	mostPages = 100
)

// AWS gives the configuration of AWS for a region; empty = as it is configured.
type AWS func(region string) (aws.Config, error)

// cloudWatch asks CloudWatch for the newest data points of its minutes.
type cloudWatch struct {
	cfg   *CloudWatch
	names names
	api   *cloudwatch.Client
}

func newCloudWatch(c *CloudWatch, n names, from AWS) (*cloudWatch, error) {
	if from == nil {
		return nil, errors.New("AWS is not configured")
	}
	if len(n.asked()) == 0 {
		return nil, errors.New("shards: the log names them, so want here those to ask for")
	}
	cfg, err := from(c.Region)
	if err == nil && cfg.Region == "" {
		err = errors.New("region: AWS is configured for none")
	}
	if err != nil {
		return nil, err
	}
	api := cloudwatch.NewFromConfig(cfg, func(o *cloudwatch.Options) {
		if c.Endpoint != "" {
			o.BaseEndpoint = aws.String(c.Endpoint)
		}
	})
	return &cloudWatch{cfg: c, names: n, api: api}, nil
}

// ask implements asker.
func (c *cloudWatch) ask(ctx context.Context) []Result {
	results := make([]Result, len(c.cfg.Queries))
	for i := range c.cfg.Queries {
		results[i].Metric = policy.Metric(c.cfg.Queries[i].Metric)
	}
	for _, call := range calls(c.cfg.groups(c.names.asked())) {
		newest, err := c.call(ctx, call)
		for _, g := range call {
			r := &results[g.query]
			p, ok := newest[g.id]
			switch {
			case ok && p.err == nil && p.known:
				r.add(&c.names, g.outside, p.value, c.cfg.Queries[g.query].Factor)
			case ok && p.err != nil && r.Err == nil:
				r.Err = fmt.Errorf("%s: %w", g.outside, p.err)
			case !ok && err != nil && r.Err == nil:
				r.Err = err
			}
		}
	}
	return results
}

// point is the newest data point of a query, or why there is none.
type point struct {
	at    time.Time
	value float64
	known bool
	err   error
}

// call makes one call, with all pages of its answer. Of a call that fails in between the pages before count.
func (c *cloudWatch) call(ctx context.Context, groups []group) (map[string]point, error) {
	end := time.Now().UTC().Truncate(period * time.Second) // a minute that is not over has no value yet
	in := &cloudwatch.GetMetricDataInput{StartTime: aws.Time(end.Add(-lookBack)), EndTime: aws.Time(end), ScanBy: types.ScanByTimestampDescending}
	for _, g := range groups {
		in.MetricDataQueries = append(in.MetricDataQueries, g.queries...)
	}
	newest := map[string]point{}
	for range mostPages {
		out, err := c.api.GetMetricData(ctx, in)
		if err != nil {
			return newest, plain(err)
		}
		for i := range out.MetricDataResults {
			r := &out.MetricDataResults[i]
			id := aws.ToString(r.Id)
			newest[id] = newest[id].with(r)
		}
		if in.NextToken = out.NextToken; aws.ToString(in.NextToken) == "" {
			return newest, nil
		}
	}
	return newest, fmt.Errorf("the answer has more than %d pages", mostPages)
}

// with takes one result of the query.
func (p point) with(r *types.MetricDataResult) point {
	for i := range min(len(r.Timestamps), len(r.Values)) {
		if !p.known || r.Timestamps[i].After(p.at) {
			p.at, p.value, p.known = r.Timestamps[i], r.Values[i], true
		}
	}
	switch r.StatusCode {
	case types.StatusCodeInternalError, types.StatusCodeForbidden:
		p.err = fmt.Errorf("status %s", r.StatusCode)
		for _, m := range r.Messages {
			p.err = fmt.Errorf("%w: %s", p.err, said(aws.ToString(m.Value)))
		}
	case types.StatusCodeComplete, types.StatusCodePartialData: // the newest comes first
		p.err = nil
	}
	return p
}

// plain is what a call failed of, on one line and without what belongs to one attempt only.
func plain(err error) error {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return fmt.Errorf("%s: %s", said(api.ErrorCode()), said(api.ErrorMessage()))
	}
	return errors.New(said(err.Error()))
}
