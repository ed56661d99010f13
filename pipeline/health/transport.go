package health

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"time"
)

// transport makes the connections of a Prometheus. The file of authorities is read here once, so that a wrong path is an error now;
// our certificate is read for each connection.
func (c *Prometheus) transport() (*http.Transport, error) {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 1, IdleConnTimeout: 2 * time.Minute, TLSHandshakeTimeout: 5 * time.Second, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: 1 << 16,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.ServerName},
	}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, err
		}
		t.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !t.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: holds no certificate (PEM)", c.CAFile)
		}
	}
	if c.CertFile != "" {
		if _, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile); err != nil {
			return nil, err
		}
		t.TLSClientConfig.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			cert, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
			return &cert, err
		}
	}
	return t, nil
}

// sign adds the credentials and the other headers to a request.
func (c *Prometheus) sign(r *http.Request) error {
	for name, value := range c.Headers {
		r.Header.Set(name, value)
	}
	switch {
	case c.User != "":
		password, err := c.Password.Read(c.PasswordFile)
		if err != nil {
			return err
		}
		r.SetBasicAuth(c.User, password)
	case c.Token != "" || c.TokenFile != "":
		token, err := c.Token.Read(c.TokenFile)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return nil
}
