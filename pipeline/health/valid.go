package health

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"firebreak/policy"
)

// ConfigError is a problem with one field of the configuration. It never holds the value of a secret.
type ConfigError struct {
	path, problem string
	beside        []string // paths of the fields with which the value is in conflict
}

// Error says where and what.
func (e *ConfigError) Error() string { return e.path + ": " + e.problem }

// Field returns the path of the field, from the Config on, and what is wrong with it.
func (e *ConfigError) Field() (path, problem string) { return e.path, e.problem }

// Compared returns the paths of the fields with which the value is in conflict.
func (e *ConfigError) Compared() []string { return e.beside }

type problems []error

func (p *problems) want(ok bool, path, format string, args ...any) {
	p.agree(ok, path, nil, format, args...)
}

// agree notes that the value at a path cannot stand beside those of other fields.
func (p *problems) agree(ok bool, path string, beside []string, format string, args ...any) {
	if !ok {
		*p = append(*p, &ConfigError{path, fmt.Sprintf(format, args...), beside})
	}
}

// maxSourceName is the longest name of a source, in bytes: it is a label.
const maxSourceName = 64

// Validate reports every value that cannot be meant. shards are those of the fleet, nil = they are not known yet; New judges by them
// again. It fills in nothing and reads no file.
func (c *Config) Validate(shards []string) error {
	var p problems
	p.want(c.Every == 0 || c.Every >= leastEvery && c.Every <= mostEvery, "every", "%v: want %v to %v, for a reading counts for %v", c.Every, leastEvery, mostEvery, KeepFor)
	p.agree(c.Timeout >= 0 && c.Timeout <= c.every(), "timeout", []string{"every"}, "%v: want at most every, %v", c.Timeout, c.every())
	names := map[string]bool{}
	for i := range c.Sources {
		s, at := &c.Sources[i], fmt.Sprintf("sources[%d]", i)
		p.want(s.Name != "" && len(s.Name) <= maxSourceName, at+".name", "want 1 to %d bytes: how it is called", maxSourceName)
		p.want(!names[s.Name] || s.Name == "", at+".name", "%q stands twice", s.Name)
		names[s.Name] = true
		s.validate(&p, at, shards)
	}
	return errors.Join(p...)
}

func (s *SourceConfig) validate(p *problems, at string, shards []string) {
	p.want((s.Prometheus == nil) != (s.CloudWatch == nil), at, "want prometheus or cloudwatch, exactly one")
	if s.Regex != "" {
		r, err := regexp.Compile(s.Regex)
		p.want(err == nil, at+".regex", "%v", err)
		p.want(err != nil || r.NumSubexp() >= 1, at+".regex", "want a group: what it matches names the shard")
		p.agree(s.CloudWatch == nil, at+".regex", []string{at + ".cloudwatch"}, "is of prometheus: cloudwatch is asked by name")
	}
	for _, outside := range sortedKeys(s.Shards) {
		shard := s.Shards[outside]
		p.want(shards == nil || slices.Contains(shards, shard), at+".shards", "there is no shard %q", shard)
	}
	if s.Prometheus != nil {
		s.Prometheus.validate(p, at+".prometheus")
	}
	if s.CloudWatch != nil {
		s.CloudWatch.validate(p, at+".cloudwatch")
	}
}

func (c *Prometheus) validate(p *problems, at string) {
	u, err := url.Parse(c.URL)
	p.want(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.RawQuery == "" && u.Fragment == "", at+".url", "want https://host:port, or http, with a path if it has one")
	p.want(err != nil || u.User == nil, at+".url", "holds a user: user and password have fields of their own")
	password, token := c.Password != "" || c.PasswordFile != "", c.Token != "" || c.TokenFile != ""
	p.agree(c.Password == "" || c.PasswordFile == "", at+".password_file", []string{at + ".password"}, "excludes password")
	p.agree(c.Token == "" || c.TokenFile == "", at+".token_file", []string{at + ".token"}, "excludes token")
	p.agree((c.User != "") == password, at+".user", []string{at + ".password", at + ".password_file"}, "user and password, or password_file, go together")
	p.agree(c.User == "" || !token, at+".user", []string{at + ".token", at + ".token_file"}, "excludes a token")
	p.agree((c.CertFile == "") == (c.KeyFile == ""), at+".cert_file", []string{at + ".key_file"}, "cert_file and key_file go together")
	plain := err == nil && u.Scheme == "http" && (c.CAFile != "" || c.CertFile != "" || c.ServerName != "")
	p.agree(!plain, at+".url", []string{at + ".ca_file", at + ".cert_file", at + ".server_name"}, "is not https, so nothing is encrypted")
	for _, name := range sortedKeys(c.Headers) {
		p.want(!strings.EqualFold(name, "Authorization"), at+".headers", "%s: user and token have fields of their own", name)
	}
	p.want(len(c.Queries) > 0, at+".queries", "want one or more: what is to be read")
	for i := range c.Queries {
		q, at := &c.Queries[i], fmt.Sprintf("%s.queries[%d]", at, i)
		p.want(policy.Metric(q.Metric) != policy.MetricUnknown, at+".metric", "want one of %s", metricNames())
		p.want(strings.TrimSpace(q.Query) != "", at+".query", "want a query in PromQL")
		p.want(q.Label != "" || c.Label != "", at+".label", "want the label that names the shard, here or at the source")
		p.want(q.Factor >= 0, at+".factor", "%v: want above 0", q.Factor)
	}
}

func (c *CloudWatch) validate(p *problems, at string) {
	u, err := url.Parse(c.Endpoint)
	p.want(c.Endpoint == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "", at+".endpoint", "want an absolute http or https URL")
	p.want(c.Namespace != "", at+".namespace", "want that of the metrics, such as AWS/RDS")
	named := false
	for _, v := range c.Dimensions {
		named = named || strings.Contains(v, shardMark)
	}
	p.want(named, at+".dimensions", "want one whose value has %s, which stands for the shard, such as {DBInstanceIdentifier: \"%s\"}", shardMark, shardMark)
	p.want(len(c.Queries) > 0, at+".queries", "want one or more: what is to be read")
	for i := range c.Queries {
		c.Queries[i].validate(p, fmt.Sprintf("%s.queries[%d]", at, i))
	}
}

func (q *CloudQuery) validate(p *problems, at string) {
	p.want(policy.Metric(q.Metric) != policy.MetricUnknown, at+".metric", "want one of %s", metricNames())
	p.want(q.Factor >= 0, at+".factor", "%v: want above 0", q.Factor)
	p.want(q.Name != "" || len(q.Of) > 0, at+".name", "want the name of a metric")
	p.want(q.Stat == "" || q.Name != "", at+".stat", "is of name: want that, too")
	p.agree(q.Expression != "" || len(q.Of) == 0, at+".expression", []string{at + ".of"}, "want one over the metrics of `of`")
	p.want(1+len(q.Of) < mostQueries, at+".of", "want fewer than %d", mostQueries)
	for _, id := range sortedKeys(q.Of) {
		p.want(idForm().MatchString(id), at+".of", "%q: want a small letter, then letters, digits and _", id)
		p.want(id != ownID || q.Name == "", at+".of", "%s is the metric of name", ownID)
		p.want(q.Of[id].Name != "", at+".of", "%s: want the name of a metric", id)
	}
}

func metricNames() string {
	var names []string
	for _, m := range policy.Metrics() {
		names = append(names, m.String())
	}
	return strings.Join(names, ", ")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
