package debugrelay_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// proxy passes connections on to a server, and can cut them.
type proxy struct {
	address string
	target  string

	mutex sync.Mutex
	conns []*net.TCPConn
	cuts  int
	// sent has an item when a caller sent something since it was last emptied.
	sent chan struct{}
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{address: listener.Addr().String(), target: target, sent: make(chan struct{}, 1)}
	var passing sync.WaitGroup
	passing.Add(1)
	go func() {
		defer passing.Done()
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			passing.Add(1)
			go func() {
				defer passing.Done()
				p.pass(conn.(*net.TCPConn))
			}()
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		p.cut()
		passing.Wait()
	})
	return p
}

func (p *proxy) pass(inner *net.TCPConn) {
	conn, err := net.Dial("tcp", p.target)
	if err != nil {
		inner.Close()
		return
	}
	outer := conn.(*net.TCPConn)
	p.mutex.Lock()
	p.conns = append(p.conns, inner, outer)
	p.mutex.Unlock()

	done := make(chan struct{})
	go func() {
		io.Copy(outer, io.TeeReader(inner, p))
		outer.Close()
		close(done)
	}()
	io.Copy(inner, outer)
	inner.Close()
	<-done
}

// Write notes that something was sent.
func (p *proxy) Write(sent []byte) (int, error) {
	select {
	case p.sent <- struct{}{}:
	default:
	}
	return len(sent), nil
}

// cutNextCall breaks all connections when the call that begin makes has been sent.
func (p *proxy) cutNextCall(begin func()) {
	select {
	case <-p.sent:
	default:
	}
	go begin()
	<-p.sent
	p.cut()
}

// cut breaks all connections at once, as a machine that goes away does.
func (p *proxy) cut() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, conn := range p.conns {
		conn.SetLinger(0)
		conn.Close()
	}
	p.conns = nil
	p.cuts++
}
