package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// What every client asks for. A client that learns of new partitions late leaves them uncounted (up to 5 minutes by the
// defaults of clients), and one that may not ask again soon stalls assignments for seconds.
const (
	metadataMinAge = 250 * time.Millisecond
	metadataMaxAge = 5 * time.Second
	dialTimeout    = 10 * time.Second
)

// Options are the options of every client of a cluster: brokers, name, TLS, SASL, age of metadata. Files of certificates are
// read here once, so that a wrong path is an error now. Errors name files and fields, never secrets.
func Options(c Cluster) ([]kgo.Opt, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	id := c.ClientID
	if id == "" {
		id = "firebreak"
	}
	opts := []kgo.Opt{
		kgo.SeedBrokers(c.Brokers...),
		kgo.ClientID(id),
		kgo.DialTimeout(dialTimeout),
		kgo.MetadataMinAge(metadataMinAge),
		kgo.MetadataMaxAge(metadataMaxAge),
		kgo.DisableClientMetrics(), // none are pushed to brokers; /metrics has them
	}
	if c.TLS.On() {
		config, err := c.TLS.config()
		if err != nil {
			return nil, fmt.Errorf("tls: %w", err)
		}
		opts = append(opts, kgo.DialTLSConfig(config))
	}
	mechanism, err := c.mechanism()
	if err != nil {
		return nil, fmt.Errorf("sasl: %w", err)
	}
	if mechanism != nil {
		opts = append(opts, kgo.SASL(mechanism))
	}
	return opts, nil
}

// config is the TLS configuration of a client. The client's own certificate is read at every handshake.
func (t *TLS) config() (*tls.Config, error) {
	out := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, err
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: %w", t.CAFile, errNoCertificate)
		}
	}
	if t.CertFile == "" {
		return out, nil
	}
	if _, err := t.certificate(); err != nil {
		return nil, err
	}
	out.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return t.certificate() }
	return out, nil
}

// certificate reads our certificate and its key.
func (t *TLS) certificate() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("%s with %s: %w", t.CertFile, t.KeyFile, err)
	}
	return &pair, nil
}

// errNoCertificate says that a file of authorities has none.
var errNoCertificate = errors.New("holds no certificate in PEM")
