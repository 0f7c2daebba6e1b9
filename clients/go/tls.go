package debugrelay

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	"google.golang.org/grpc/credentials"
)

// tlsFiles say how a server proves who it is, and how this client does. They are PEM.
type tlsFiles struct {
	// ca has those who vouch for the server; without it, those are asked whom this machine trusts.
	ca        string
	cert, key string
	// serverName is the name in the server's certificate; without it, that of the address.
	serverName string
}

// credentials reads the files.
func (f tlsFiles) credentials() (credentials.TransportCredentials, error) {
	config := &tls.Config{ServerName: f.serverName}
	if f.ca != "" {
		text, err := os.ReadFile(f.ca)
		if err != nil {
			return nil, misuse("%v.", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, misuse("%s has no certificates in it.", f.ca)
		}
	}
	if (f.cert == "") != (f.key == "") {
		return nil, misuse("a certificate and its key go together: give both.")
	}
	if f.cert != "" {
		if _, err := tls.LoadX509KeyPair(f.cert, f.key); err != nil {
			return nil, misuse("%s and %s are no certificate and its key: %v.", f.cert, f.key, err)
		}
		// Read again for each connection: a certificate may hold for an hour only.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(f.cert, f.key)
			return &pair, err
		}
	}
	return credentials.NewTLS(config), nil
}
