package kafka

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"

	"firebreak/pipeline/registry"
)

// registry asks each address of the cluster's registry for a schema that is not there, as a run asks for those that are.
func (d *doctor) registry(ctx context.Context) {
	r := &d.cluster.Registry
	if !r.On() {
		return
	}
	client, err := r.Client()
	if err != nil {
		d.add("registry", err, "", "mend the registry part of the configuration")
		return
	}
	defer client.Close()
	for i, t := range client.Try(ctx) {
		detail := "answers"
		if r.User+r.TokenFile != "" || r.Token != "" {
			if detail = "answers, signed in"; strings.HasPrefix(r.URLs[i], "http:") {
				detail += "; what we sign in with travels readable"
			}
		}
		mend := ""
		if t.Err != nil {
			detail, mend = t.Err.Error(), mendOfRegistry(t.Err)
		}
		d.add("registry "+t.Host, t.Err, detail, mend)
	}
}

// mendOfRegistry says what to do about a registry that cannot be asked.
func mendOfRegistry(err error) string {
	status, answered := errors.AsType[*registry.Status](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, host := errors.AsType[x509.HostnameError](err)
	_, network := errors.AsType[net.Error](err)
	switch {
	case authority:
		return "set registry.ca_file to the authority of the registry's certificate"
	case host:
		return "set registry.server_name to a name in the registry's certificate, or use an address that is in it"
	case errors.Is(err, http.ErrSchemeMismatch):
		return "write http instead of https, or use the port that has TLS"
	case answered && (status.Code == http.StatusUnauthorized || status.Code == http.StatusForbidden):
		return "check registry.user with its password, or registry.token, and that it may read schemas"
	case answered && status.Code == http.StatusNotFound:
		return "check the path in registry.url: of Apicurio it ends with /apis/ccompat/v7"
	case network, errors.Is(err, context.DeadlineExceeded):
		return "check the address and the network between"
	}
	return "check registry.url, and the registry's log"
}
