package kafkarig

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Files are paths of certificates and keys in PEM, made for one broker.
type Files struct {
	CA        string // the authority of the broker and of Cert
	Cert, Key string // a client's; its subject is CN=firebreak
	OtherCA   string // an authority that signed none of them
	OtherCert string // a client's of OtherCA
	OtherKey  string

	server string // the broker's certificate behind its key
}

// issuer signs certificates.
type issuer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// certificates makes an authority with certificates of the broker and of a client, and a second authority nobody trusts.
func certificates(t testing.TB, dir string) Files {
	t.Helper()
	at := func(name string) string { return filepath.Join(dir, name) }
	f := Files{
		CA: at("ca.pem"), Cert: at("client.pem"), Key: at("client-key.pem"),
		OtherCA: at("other-ca.pem"), OtherCert: at("other.pem"), OtherKey: at("other-key.pem"), server: at("server.pem"),
	}
	authority, caPEM, _ := certificate(t, "firebreak test authority", nil)
	save(t, f.CA, caPEM)
	_, certPEM, keyPEM := certificate(t, "localhost", authority)
	save(t, f.server, append(keyPEM, certPEM...))
	_, certPEM, keyPEM = certificate(t, "firebreak", authority)
	save(t, f.Cert, certPEM)
	save(t, f.Key, keyPEM)
	other, caPEM, _ := certificate(t, "another authority", nil)
	save(t, f.OtherCA, caPEM)
	_, certPEM, keyPEM = certificate(t, "firebreak", other)
	save(t, f.OtherCert, certPEM)
	save(t, f.OtherKey, keyPEM)
	return f
}

// certificate makes a certificate for a day, signed by an issuer, or by itself as an authority.
func certificate(t testing.TB, name string, by *issuer) (made *issuer, certPEM, keyPEM []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("kafkarig: %v", err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatalf("kafkarig: %v", err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:    []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if by == nil {
		template.IsCA, template.BasicConstraintsValid = true, true
		template.KeyUsage |= x509.KeyUsageCertSign
		template.DNSNames, template.IPAddresses, template.ExtKeyUsage = nil, nil, nil
		by = &issuer{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.cert, &key.PublicKey, by.key)
	if err != nil {
		t.Fatalf("kafkarig: %v", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatalf("kafkarig: %v", err)
	}
	certPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return &issuer{template, key}, certPEM, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
}

func save(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatalf("kafkarig: %v", err)
	}
}

// Certificates makes the files for a broker that the rig does not start, such as kfake; ServerPair is the broker's.
func Certificates(t testing.TB) Files {
	t.Helper()
	return certificates(t, t.TempDir())
}

// ServerPair is the file of the broker's certificate, which holds its key as well.
func (f Files) ServerPair() string { return f.server }
