package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// trial is how an address took us.
type trial struct {
	err          error
	detail, mend string
}

// try speaks to one address as a client would, and tells what it is that fails.
func (d *doctor) try(ctx context.Context, address string) trial {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	if len(d.Dial) == 0 {
		if t := d.handshake(ctx, address); t.err != nil {
			return t
		}
	}
	client, err := kgo.NewClient(append(slices.Clone(d.opts), kgo.SeedBrokers(address), kgo.RequestRetries(0))...)
	if err != nil {
		return trial{err: err, mend: "mend this part of the configuration"}
	}
	defer client.Close()
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{} // none: only whether it answers
	if _, err := client.SeedBrokers()[0].Request(ctx, req); err != nil {
		return d.refused(err)
	}
	return trial{detail: "answers, " + d.settings()}
}

// handshake connects, and encrypts where that is asked for.
func (d *doctor) handshake(ctx context.Context, address string) trial {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return unreachable(err)
	}
	defer conn.Close() //nolint:errcheck // only a trial
	if !d.cluster.TLS.On() {
		return trial{}
	}
	config, err := d.cluster.TLS.config()
	if err != nil {
		return trial{err: err, mend: "mend the tls part"}
	}
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	if err := tls.Client(conn, config).HandshakeContext(ctx); err != nil {
		return unencrypted(err)
	}
	return trial{}
}

// unreachable tells apart why an address cannot be dialled.
func unreachable(err error) trial {
	t := trial{err: err, detail: "cannot be reached: " + err.Error(), mend: "check the address and the network between"}
	timeout, isNet := errors.AsType[net.Error](err)
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		t.detail, t.mend = "cannot be reached: no address is known for "+lookup.Name, "check the name, or the DNS of this machine"
	} else if errors.Is(err, syscall.ECONNREFUSED) {
		t.detail, t.mend = "cannot be reached: nothing listens there", "check the port, and whether the broker runs"
	} else if isNet && timeout.Timeout() {
		t.detail, t.mend = "cannot be reached: no answer in time", "check the address, and firewalls between"
	}
	return t
}

// unencrypted tells apart why TLS failed.
func unencrypted(err error) trial {
	t := trial{err: err, detail: "TLS failed: " + err.Error(), mend: "check the tls part"}
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, host := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case authority:
		t.mend = "set tls.ca_file to the authority of the brokers' certificates"
	case host:
		t.mend = "set tls.server_name to a name in the broker's certificate, or use an address that is in it"
	case invalid:
		t.mend = "renew the broker's certificate"
	case record, errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, context.DeadlineExceeded):
		t.detail = "TLS failed: the broker does not speak TLS on this port"
		t.mend = "leave out the tls part, or use the broker's TLS port"
	}
	return t
}

// refused tells apart why a broker that was reached does not serve us.
func (d *doctor) refused(err error) trial {
	m := d.cluster.SASL.Mechanism
	t := trial{err: err, detail: "does not answer: " + err.Error(), mend: "see the broker's log"}
	alert, isAlert := errors.AsType[tls.AlertError](err)
	text := err.Error()
	switch {
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		t.detail, t.mend = "signing in failed: the broker refuses the "+d.credentials(), "check the sasl part"
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		t.detail, t.mend = fmt.Sprintf("signing in failed: the broker does not take %v", m), "use a mechanism that is enabled on this port"
	case errors.Is(err, kerr.IllegalSaslState):
		t.detail, t.mend = "signing in failed: the broker wants none on this port", "leave out the sasl part, or use the port that has it"
	case isAlert || strings.Contains(text, "remote error: tls"):
		t.detail = "TLS failed: the broker refuses us: " + text
		if isAlert {
			t.detail = "TLS failed: the broker refuses us: " + alert.Error()
		}
		t.mend = "set tls.cert_file and tls.key_file to a certificate that the broker trusts"
	case strings.Contains(text, "tls alert"):
		t.detail, t.mend = "the broker speaks TLS on this port", "add the tls part"
	case d.hungUp(err):
		t.detail, t.mend = d.silent()
	case m != MechanismNone && !errors.Is(err, context.DeadlineExceeded) && !isNetwork(err):
		t.detail, t.mend = "signing in failed: "+text, "check the sasl part"
	}
	return t
}

// hungUp says that the broker closed the connection instead of an answer.
func (d *doctor) hungUp(err error) bool {
	_, first := errors.AsType[*kgo.ErrFirstReadEOF](err)
	return first || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func isNetwork(err error) bool {
	_, ok := errors.AsType[*net.OpError](err)
	return ok
}

// silent says what it may mean that a broker only hangs up.
func (d *doctor) silent() (detail, mend string) {
	tlsOn, sasl := d.cluster.TLS.On(), d.cluster.SASL.Mechanism != MechanismNone
	switch {
	case sasl && tlsOn:
		return "signing in failed: the broker hangs up on the " + d.credentials(), "check the sasl part"
	case sasl:
		return "the broker hangs up: it speaks TLS on this port, or does not take the " + d.credentials(), "add the tls part, or check the sasl part"
	case tlsOn:
		return "the broker hangs up: it wants us to sign in on this port", "add the sasl part"
	}
	return "the broker hangs up: it speaks TLS on this port, or wants us to sign in", "add the tls part or the sasl part"
}

// credentials names what we sign in with.
func (d *doctor) credentials() string {
	s := &d.cluster.SASL
	if s.usesPassword() {
		return fmt.Sprintf("user %q or its password (%v)", s.User, s.Mechanism)
	}
	if s.Mechanism == OAuthBearer {
		return "token (oauthbearer)"
	}
	return fmt.Sprintf("credentials (%v)", s.Mechanism)
}
