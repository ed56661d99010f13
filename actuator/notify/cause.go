package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
)

// cause names why a request failed, out of a closed list: the text of an error of net/http may hold the URL, or what the other
// side said, which may hold it too.
func cause(err error) string {
	var (
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		alert       tls.AlertError
		authority   x509.UnknownAuthorityError
		hostname    x509.HostnameError
		invalid     x509.CertificateInvalidError
		timeout     net.Error
	)
	switch {
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return "no such host"
		}
		return "the host's name could not be resolved"
	case errors.As(err, &authority):
		return "TLS: the certificate is signed by an unknown authority"
	case errors.As(err, &hostname):
		return "TLS: the certificate is for another host"
	case errors.As(err, &invalid):
		return "TLS: the certificate is not valid, or not now"
	case errors.As(err, &certificate):
		return "TLS: the certificate could not be verified"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "TLS: the other side does not speak it"
	case errors.As(err, &alert):
		return "TLS: the other side refused the handshake"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no route to the host"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed before an answer"
	}
	return fmt.Sprintf("the request failed (%T)", innermost(err))
}

// innermost is the error at the end of a chain.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
