package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"firebreak/policy"
)

const (
	// mostBody bounds an answer, in bytes: mostSeries with labels of half a kilobyte.
	mostBody = 4 << 20
	// mostSeries is the most that one query may give: far more than shards of a fleet. Servers from 2.54 on are asked for no more.
	mostSeries = 8192
	// mostSaid is how much of what a server says beside an error is repeated, in bytes.
	mostSaid = 200
)

// prometheus asks a server of its API, see https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries. Thanos, Mimir,
// VictoriaMetrics and Amazon Managed Prometheus behind a signing proxy answer alike.
type prometheus struct {
	cfg    *Prometheus
	names  names
	client *http.Client
	url    string
}

func newPrometheus(c *Prometheus, n names) (*prometheus, error) {
	transport, err := c.transport()
	if err != nil {
		return nil, err
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // credentials go where they were meant to
	return &prometheus{cfg: c, names: n, client: &http.Client{Transport: transport, CheckRedirect: stay}, url: strings.TrimRight(c.URL, "/") + "/api/v1/query"}, nil
}

// ask implements asker. A server that cannot be reached is not asked again at once.
func (p *prometheus) ask(ctx context.Context) []Result {
	results := make([]Result, len(p.cfg.Queries))
	var away error
	for i := range p.cfg.Queries {
		q, r := &p.cfg.Queries[i], &results[i]
		r.Metric = policy.Metric(q.Metric)
		if r.Err = away; away != nil {
			continue
		}
		series, err := p.query(ctx, q.Query)
		if r.Err = err; errors.Is(err, errAway) {
			away = err
		}
		label := cmp.Or(q.Label, p.cfg.Label)
		for _, s := range series {
			r.add(&p.names, s.labels[label], s.value, q.Factor)
		}
	}
	return results
}

// errAway says that there was no answer at all.
var errAway = errors.New("no answer")

// query gives the series of an instant query, now.
func (p *prometheus) query(ctx context.Context, query string) ([]series, error) {
	form := url.Values{"query": {query}, "limit": {strconv.Itoa(mostSeries + 1)}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if err := p.cfg.sign(r); err != nil {
		return nil, fmt.Errorf("%w: %w", errAway, err)
	}
	resp, err := p.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAway, err)
	}
	defer resp.Body.Close() //nolint:errcheck // read only
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errAway, err)
	case len(body) > mostBody:
		return nil, fmt.Errorf("the answer is longer than %d MB: want one series a shard", mostBody>>20)
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		return nil, fmt.Errorf("%w: %w", errAway, refused(resp.StatusCode, body))
	case resp.StatusCode != http.StatusOK:
		return nil, refused(resp.StatusCode, body)
	}
	return parseSeries(body)
}
