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
}

// find fills in what the caller did not say, from the environment and the run folder.
func find(address, token string) (place, error) {
	found := place{address: address, source: "as given", token: token}
	if found.address == "" {
		found.address, found.source = os.Getenv("DEBUG_RELAY_ADDRESS"), "from DEBUG_RELAY_ADDRESS"
	}
	if found.address == "" {
		if err := found.readServerFile(); err != nil {
			return place{}, err
		}
	}
	if found.token == "" {
		found.token = os.Getenv("DEBUG_RELAY_TOKEN")
	}
	// The token of this machine is nothing for servers of others.
	if found.token == "" && isLocal(found.address) {
		if err := found.readTokenFile(); err != nil {
			return place{}, err
		}
	}
	return found, nil
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
	var word struct{ Address string }
	if err := json.Unmarshal(text, &word); err != nil {
		return unusable(path, err)
	}
	if word.Address == "" {
		return unusable(path, errors.New("it has no address"))
	}
	p.address, p.source = word.Address, "from "+path
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

func unusable(path string, err error) error {
	return &Error{
		Reason:  ReasonUnreachable,
		Message: fmt.Sprintf("%s cannot be used: %v.", path, err),
		Hint:    "Set DEBUG_RELAY_ADDRESS and DEBUG_RELAY_TOKEN, or start a server anew: debug-relay serve",
		cause:   err,
	}
}
