package access

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
)

// Open listens where c says, and speaks TLS there if it has a certificate. The files are read anew for each connection, so that a
// certificate can be replaced in place.
func (c *Config) Open(ctx context.Context) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err != nil || !c.TLS.On() {
		return l, err
	}
	files := c.TLS
	read := func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("tls: %w", err)
		}
		return &pair, nil
	}
	if _, err := read(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return tls.NewListener(l, &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, // by HTTP/2 the streams of all tabs share a connection
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return read() },
	}), nil
}
