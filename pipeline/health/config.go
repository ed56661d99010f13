package health

import (
	"time"

	"firebreak/internal/secret"
	"firebreak/policy"
)

// Config is what is read of a fleet's shards from outside. The zero value reads nothing.
type Config struct {
	Every   time.Duration  `yaml:"every"`   // from one reading of a source to the next; 0 = a minute
	Timeout time.Duration  `yaml:"timeout"` // of one reading, all queries of the source; 0 = 10 s
	Sources []SourceConfig `yaml:"sources"`
}

// On says whether anything is read.
func (c *Config) On() bool { return len(c.Sources) > 0 }

// SourceConfig is one place to read from: exactly one of Prometheus and CloudWatch.
type SourceConfig struct {
	Name       string            `yaml:"name"` // how metrics, logs and doctor call it, unique in the fleet
	Prometheus *Prometheus       `yaml:"prometheus"`
	CloudWatch *CloudWatch       `yaml:"cloudwatch"`
	Regex      string            `yaml:"regex"`  // of Prometheus: its first group is what names the shard; empty = the whole value of the label
	Shards     map[string]string `yaml:"shards"` // shard of the fleet by what the source calls it; what is not listed is called alike
}

// Prometheus is a server that answers instant queries as Prometheus does.
type Prometheus struct {
	URL          string            `yaml:"url"`                    // https or http, up to what stands before /api/v1/query
	User         string            `yaml:"user"`                   // of basic authentication
	Password     secret.Value      `yaml:"password" secret:"true"` // of it
	PasswordFile string            `yaml:"password_file"`
	Token        secret.Value      `yaml:"token" secret:"true"` // instead of them: a bearer token
	TokenFile    string            `yaml:"token_file"`
	CAFile       string            `yaml:"ca_file"` // empty = the authorities of the system
	CertFile     string            `yaml:"cert_file"`
	KeyFile      string            `yaml:"key_file"`
	ServerName   string            `yaml:"server_name"`
	Headers      map[string]string `yaml:"headers"` // sent with each request, such as X-Scope-OrgID; no secrets
	Label        string            `yaml:"label"`   // that names the shard
	Queries      []PromQuery       `yaml:"queries"`
}

// PromQuery gives one metric of every shard.
type PromQuery struct {
	Metric Metric  `yaml:"metric"`
	Query  string  `yaml:"query"`  // PromQL; one series a shard
	Label  string  `yaml:"label"`  // empty = that of the source
	Factor float64 `yaml:"factor"` // of its values to the metric's unit; 0 = 1
}

// CloudWatch is an account of it in one region.
type CloudWatch struct {
	Region     string            `yaml:"region"`     // empty = as AWS is configured
	Endpoint   string            `yaml:"endpoint"`   // URL; empty = that of the region
	Namespace  string            `yaml:"namespace"`  // such as AWS/RDS
	Dimensions map[string]string `yaml:"dimensions"` // {shard} in a value stands for what the source calls the shard
	Queries    []CloudQuery      `yaml:"queries"`
}

// CloudQuery gives one metric of every shard that is asked for: its own, as x, or an expression.
type CloudQuery struct {
	Metric     Metric                 `yaml:"metric"`
	Name       string                 `yaml:"name"`       // of the metric x
	Stat       string                 `yaml:"stat"`       // of x; empty = Average
	Of         map[string]CloudMetric `yaml:"of"`         // further metrics by the name that the expression has for them
	Expression string                 `yaml:"expression"` // metric math; empty = x
	Factor     float64                `yaml:"factor"`     // of its values to the metric's unit; 0 = 1
}

// CloudMetric is a metric of an expression.
type CloudMetric struct {
	Name string `yaml:"name"`
	Stat string `yaml:"stat"` // empty = Average
}

const (
	defaultEvery   = time.Minute
	defaultTimeout = 10 * time.Second
	leastEvery     = 10 * time.Second
	mostEvery      = 90 * time.Second // so that one failure between two answers leaves no gap within KeepFor
)

func (c *Config) every() time.Duration {
	if c.Every == 0 {
		return defaultEvery
	}
	return c.Every
}

func (c *Config) timeout() time.Duration {
	if c.Timeout == 0 {
		return min(defaultTimeout, c.every())
	}
	return c.Timeout
}

// Files are the paths of the configuration's files, to be changed in place.
func (c *Config) Files() []*string {
	var out []*string
	for i := range c.Sources {
		if p := c.Sources[i].Prometheus; p != nil {
			out = append(out, &p.PasswordFile, &p.TokenFile, &p.CAFile, &p.CertFile, &p.KeyFile)
		}
	}
	return out
}

// Metric is a policy.Metric as the configuration spells it.
type Metric policy.Metric

// String returns its one spelling.
func (m Metric) String() string { return policy.Metric(m).String() }

// MarshalText writes what UnmarshalText reads.
func (m Metric) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads the one spelling of a metric.
func (m *Metric) UnmarshalText(text []byte) error {
	of, err := policy.ParseMetric(string(text))
	*m = Metric(of)
	return err
}
