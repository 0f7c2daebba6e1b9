package debugrelay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const defaultAddress = "127.0.0.1:50051"

// place is where a server is, and what it wants to hear.
type place struct {
	address string
	// source tells people where the address comes from.
	source string
	token  string
	// isForOwn says that the token is for the server of the run folder alone.
	isForOwn bool
	// tls is nil for a server that does not speak it.
	tls *tlsFiles
}

// announcement is what a server has left in its run folder.
type announcement struct {
	Address string
	PID     int
	TLS     bool
}

// find fills in what the caller did not say, from the environment and the run folder.
func find(wanted connecting) (place, error) {
	found := place{address: wanted.address, source: "as given", token: wanted.token}
	if found.address == "" {
		found.address, found.source = os.Getenv("DEBUG_RELAY_ADDRESS"), "from DEBUG_RELAY_ADDRESS"
	}
	told, err := readServerFile()
	if found.address == "" {
		if err != nil {
			return place{}, err
		}
		found.take(told)
	}
	found.setTLS(wanted.tls)
	isOwn := told.runs() && plain(found.address) == plain(told.Address)
	if isOwn && found.tls == nil {
		// A name may lead to another address of this machine, where anybody may listen.
		found.address = told.Address
	}
	if found.token == "" {
		found.token = os.Getenv("DEBUG_RELAY_TOKEN")
	}
	// Where no server listens, another user may, unless TLS says who it is. The token would also win
	// over a certificate.
	isTrusted := isLocal(found.address) && (isOwn || found.tls != nil)
	if found.token == "" && isTrusted && (found.tls == nil || found.tls.cert == "") {
		found.isForOwn = found.tls == nil
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

// isOwn tells whether the server of the run folder runs, and is here. One may have gone since it was
// found, and another user listen in its place.
func (p *place) isOwn() bool {
	told, err := readServerFile()
	return err == nil && told.runs() && plain(p.address) == plain(told.Address)
}

func serverFile() string { return filepath.Join(runDir(), "server.json") }

// readServerFile returns an empty announcement when no server has left one.
func readServerFile() (announcement, error) {
	path := serverFile()
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return announcement{}, nil
	}
	if err != nil {
		return announcement{}, unusable(path, err)
	}
	var told announcement
	if err := json.Unmarshal(text, &told); err != nil {
		return announcement{}, unusable(path, err)
	}
	if told.Address == "" {
		return announcement{}, unusable(path, errors.New("it has no address"))
	}
	return told, nil
}

func (p *place) take(told announcement) {
	if told.Address == "" {
		p.address, p.source = defaultAddress, "the default"
		return
	}
	p.address, p.source = told.Address, "from "+serverFile()
	if told.TLS {
		p.tls = &tlsFiles{}
	}
}

// runs tells whether the server's process is there; another may have its number by now.
func (a announcement) runs() bool {
	if a.PID <= 0 {
		return false
	}
	if _, err := os.Stat("/proc/self"); err != nil {
		process, err := os.FindProcess(a.PID)
		return err == nil && process.Signal(syscall.Signal(0)) == nil
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", a.PID))
	if err != nil || !isOurs(string(status)) {
		return false
	}
	words, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", a.PID))
	return err == nil && slices.Contains(strings.Split(string(words), "\x00"), "serve")
}

// isOurs tells whether a process is this user's or root's: another may have waited for the number.
func isOurs(status string) bool {
	_, ids, _ := strings.Cut(status, "\nUid:\t")
	// The second is the one that counts.
	words := strings.Fields(ids)
	return len(words) > 1 && (words[1] == "0" || words[1] == fmt.Sprint(os.Geteuid()))
}

// plain is the one way to write an address.
func plain(address string) string {
	if port, ok := strings.CutPrefix(address, "localhost:"); ok {
		return "127.0.0.1:" + port
	}
	if path, ok := strings.CutPrefix(address, "unix://"); ok {
		return "unix:" + path
	}
	return address
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
