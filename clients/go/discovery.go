package debugrelay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
)

const defaultAddress = "127.0.0.1:50051"

// place is where a server is, and what it wants to hear.
type place struct {
	address string
	// source tells people where the address comes from.
	source string
	token  string
	// tls is nil for a server that does not speak it.
	tls *tlsFiles
}

// find fills in what the caller did not say, from the environment and the run folder.
func find(wanted connecting) (place, error) {
	found := place{address: wanted.address, source: "as given", token: wanted.token}
	if found.address == "" {
		found.address, found.source = os.Getenv("DEBUG_RELAY_ADDRESS"), "from DEBUG_RELAY_ADDRESS"
	}
	if found.address == "" {
		if err := found.readServerFile(); err != nil {
			return place{}, err
		}
	}
	found.setTLS(wanted.tls)
	if found.token == "" {
		found.token = os.Getenv("DEBUG_RELAY_TOKEN")
	}
	// The token of this machine is nothing for servers of others. It would also win over a certificate.
	if found.token == "" && isLocal(found.address) && (found.tls == nil || found.tls.cert == "") {
		if err := found.readTokenFile(); err != nil {
			return place{}, err
		}
	}
	return found, nil
}

// setTLS decides whether TLS is spoken: when the server is known to, and when files for it are named.
func (p *place) setTLS(files tlsFiles) {
	if host, isTLS := strings.CutPrefix(p.address, "https://"); isTLS {
		p.address, p.tls = withPort(strings.TrimRight(host, "/")), &tlsFiles{}
	}
	if files.ca == "" {
		files.ca = os.Getenv("DEBUG_RELAY_CA")
	}
	if files.cert == "" && files.key == "" {
		files.cert, files.key = os.Getenv("DEBUG_RELAY_CERT"), os.Getenv("DEBUG_RELAY_KEY")
	}
	if isUnix(p.address) {
		// It has no TLS.
		p.tls = nil
	} else if p.tls != nil || files.ca != "" || files.cert != "" || files.key != "" {
		p.tls = &files
	}
}

func withPort(host string) string {
	if _, _, err := net.SplitHostPort(host); err != nil {
		return host + ":443"
	}
	return host
}

func (p *place) readServerFile() error {
	path := filepath.Join(runDir(), "server.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		p.address, p.source = defaultAddress, "the default"
		return nil
	}
	if err != nil {
		return unusable(path, err)
	}
	var word struct {
		Address string
		TLS     bool
	}
	if err := json.Unmarshal(text, &word); err != nil {
		return unusable(path, err)
	}
	if word.Address == "" {
		return unusable(path, errors.New("it has no address"))
	}
	p.address, p.source = word.Address, "from "+path
	if word.TLS {
		p.tls = &tlsFiles{}
	}
	return nil
}

// A server without authentication has no token file.
func (p *place) readTokenFile() error {
	path := filepath.Join(runDir(), "token")
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unusable(path, err)
	}
	p.token = strings.TrimSpace(string(text))
	return nil
}

func runDir() string {
	if dir := os.Getenv("DEBUG_RELAY_RUN_DIR"); dir != "" {
		return dir
	}
	if base := os.Getenv("XDG_RUNTIME_DIR"); base != "" {
		if info, err := os.Stat(base); err == nil && info.IsDir() {
			return filepath.Join(base, "debug-relay")
		}
	}
	return fmt.Sprintf("/tmp/debug-relay-%d", os.Getuid())
}

func isLocal(address string) bool {
	if isUnix(address) {
		return true
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func isUnix(address string) bool { return strings.HasPrefix(address, "unix:") }

// whenGone is what to do when no server answers.
func (p *place) whenGone() string {
	if p.tls == nil {
		return "Start one: debug-relay serve"
	}
	vouches, more := p.tls.ca, ""
	if vouches == "" {
		vouches = "this machine"
	}
	if p.tls.cert == "" {
		more = " Does it want a Certificate?"
	}
	return "Is it running, does it speak TLS, and does " + vouches + " vouch for it?" + more
}

func unusable(path string, err error) error {
	return &Error{
		Reason:  ReasonUnreachable,
		Message: fmt.Sprintf("%s cannot be used: %v.", path, err),
		Hint:    "Set DEBUG_RELAY_ADDRESS and DEBUG_RELAY_TOKEN, or start a server anew: debug-relay serve",
		cause:   err,
	}
}
