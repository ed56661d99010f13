package kafka

import (
	"errors"
	"net"
	"strconv"
	"strings"

	"firebreak/internal/secret"
)

// Cluster is how one Kafka cluster is reached. The zero value reaches none.
type Cluster struct {
	Name     string  `yaml:"name"`      // how fleets, metrics and findings call it; empty = main
	Brokers  Brokers `yaml:"brokers"`   // some of its brokers, host:port; the others are found through them
	ClientID string  `yaml:"client_id"` // shown in the brokers' logs and quotas; empty = firebreak
	TLS      TLS     `yaml:"tls"`
	SASL     SASL    `yaml:"sasl"`

	Registry Registry `yaml:"registry"` // of the schemas of its records

	// AWS supplies the credentials of aws-msk-iam, for every connection anew. Nil = there are none.
	AWS AWSCredentials `yaml:"-"`
}

// defaultName is the name of a cluster that has none.
const defaultName = "main"

// Called is the name of the cluster.
func (c *Cluster) Called() string {
	if c.Name == "" {
		return defaultName
	}
	return c.Name
}

// Brokers is a list of host:port. In YAML a text is the list of what its commas part.
type Brokers []string

// UnmarshalYAML reads a text or a list.
func (b *Brokers) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if unmarshal(&text) == nil {
		*b = nil
		for part := range strings.SplitSeq(text, ",") {
			*b = append(*b, strings.TrimSpace(part))
		}
		return nil
	}
	var list []broker
	err := unmarshal(&list)
	*b = nil
	for _, one := range list {
		*b = append(*b, string(one))
	}
	return err
}

// broker is one host:port. In a list in brackets the parser takes it without quotes for a host with its port as value.
type broker string

// UnmarshalYAML reads host:port, or host: port.
func (b *broker) UnmarshalYAML(unmarshal func(any) error) error {
	if unmarshal((*string)(b)) == nil {
		return nil
	}
	var pair map[string]uint16
	if err := unmarshal(&pair); err != nil {
		return err
	}
	if len(pair) != 1 {
		return errors.New("want host:port")
	}
	for host, port := range pair {
		*b = broker(net.JoinHostPort(host, strconv.Itoa(int(port))))
	}
	return nil
}

// String is the list as the tools of Kafka take it.
func (b Brokers) String() string { return strings.Join(b, ",") }

// TLS says how connections are encrypted. The zero value is plain text; any field but ServerName alone switches it on.
type TLS struct {
	Enabled    bool   `yaml:"enabled"`     // with the authorities of the system, if CAFile is empty
	CAFile     string `yaml:"ca_file"`     // PEM, the authorities that are trusted, instead of those of the system
	CertFile   string `yaml:"cert_file"`   // PEM, our certificate (mTLS); read anew for each connection, as KeyFile
	KeyFile    string `yaml:"key_file"`    // PEM, its key
	ServerName string `yaml:"server_name"` // the name that the brokers' certificates must have; empty = the host that is dialled
}

// On says that connections are encrypted.
func (t *TLS) On() bool { return t.Enabled || t.CAFile != "" || t.CertFile != "" || t.KeyFile != "" }

// validate notes what cannot be meant.
func (t *TLS) validate(p *problems) {
	p.agree(t.CertFile == "" || t.KeyFile != "", "tls.cert_file", []string{"tls.key_file"}, "needs key_file beside it")
	p.agree(t.KeyFile == "" || t.CertFile != "", "tls.key_file", []string{"tls.cert_file"}, "needs cert_file beside it")
	p.want(t.ServerName == "" || t.On(), "tls.server_name", "TLS is not switched on: set enabled: true")
}

// SASL says how we sign in. The zero value does not.
type SASL struct {
	Mechanism    Mechanism    `yaml:"mechanism"`
	User         string       `yaml:"user"`                   // plain, scram
	Password     secret.Value `yaml:"password" secret:"true"` // plain, scram
	PasswordFile string       `yaml:"password_file"`
	Token        secret.Value `yaml:"token" secret:"true"` // oauthbearer: a token that does not change
	TokenFile    string       `yaml:"token_file"`          // or one that something else keeps fresh
	TokenURL     string       `yaml:"token_url"`           // or the address that gives one for client credentials (RFC 6749, 4.4)
	ClientID     string       `yaml:"client_id"`           // for TokenURL
	ClientSecret secret.Value `yaml:"client_secret" secret:"true"`

	ClientSecretFile string            `yaml:"client_secret_file"`
	Scope            string            `yaml:"scope"`      // for TokenURL, words parted by spaces
	Audience         string            `yaml:"audience"`   // for TokenURL, where the issuer wants one
	Extensions       map[string]string `yaml:"extensions"` // of oauthbearer (KIP-342), such as logicalCluster
	Region           string            `yaml:"region"`     // of aws-msk-iam; empty = from the broker's name, then AWS_REGION
}

// Validate reports every value that cannot be meant, as joined *ConfigError values. It fills in nothing and opens nothing.
func (c *Cluster) Validate() error {
	var p problems
	p.want(len(c.Brokers) > 0, "brokers", "want one host:port or more")
	for i, b := range c.Brokers {
		p.want(validAddress(b), "brokers["+strconv.Itoa(i)+"]", "%q: want host:port", b)
	}
	p.want(c.ClientID == strings.TrimSpace(c.ClientID), "client_id", "%q: has spaces at its ends", c.ClientID)
	c.TLS.validate(&p)
	c.SASL.validate(&p)
	c.Registry.validate(&p)
	return p.err()
}

// validAddress says whether a text is host:port.
func validAddress(address string) bool {
	host, port, err := net.SplitHostPort(address)
	n, numErr := strconv.ParseUint(port, 10, 16)
	return err == nil && numErr == nil && host != "" && n > 0 && !strings.ContainsAny(host, " /@")
}
