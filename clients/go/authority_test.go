package debugrelay_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority makes certificates.
type authority struct {
	// file has its own certificate.
	file        string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	made := &authority{certificate: &x509.Certificate{
		Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}}
	made.file, _ = made.issue(t, made.certificate)
	return made
}

// issue makes a certificate and tells its file, and that of its key. The first is the authority's own.
func (a *authority) issue(t *testing.T, wanted *x509.Certificate) (cert, key string) {
	t.Helper()
	pair := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	if a.key == nil {
		a.key = pair
	}
	wanted.SerialNumber = must(rand.Int(rand.Reader, big.NewInt(1<<62)))(t)
	wanted.NotBefore, wanted.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	der := must(x509.CreateCertificate(rand.Reader, wanted, a.certificate, &pair.PublicKey, a.key))(t)
	folder := t.TempDir()
	write := func(name, kind string, bytes []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(pair))(t))
}

// ofServer makes a certificate for a server of this machine, which is also called relay.test.
func (a *authority) ofServer(t *testing.T) (cert, key string) {
	t.Helper()
	return a.issue(t, &x509.Certificate{DNSNames: []string{"relay.test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
}

// ofCaller makes a certificate for a caller whom the server knows by this URI.
func (a *authority) ofCaller(t *testing.T, uri string) (cert, key string) {
	t.Helper()
	return a.issue(t, &x509.Certificate{URIs: []*url.URL{must(url.Parse(uri))(t)}})
}
