package debugrelay_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// front stands before replicas, and sends a call where the session is that its header names. Calls
// without the header go to the replicas in turn.
type front struct {
	address  string
	replicas []*grpc.ClientConn

	mutex sync.Mutex
	calls []frontCall
}

// frontCall is the name of a call, and the session in its header.
type frontCall struct{ name, session string }

func newFront(t *testing.T, targets ...string) *front {
	t.Helper()
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	f := &front{address: listener.Addr().String()}
	for _, target := range targets {
		conn := must(grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials())))(t)
		t.Cleanup(func() { conn.Close() })
		f.replicas = append(f.replicas, conn)
	}
	server := grpc.NewServer(grpc.UnknownServiceHandler(f.pass), grpc.ForceServerCodec(asItIs{}))
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return f
}

// named are the sessions in the headers of the calls with this name.
func (f *front) named(name string) []string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var sessions []string
	for _, call := range f.calls {
		if call.name == name {
			sessions = append(sessions, call.session)
		}
	}
	return sessions
}

// taken are the calls since it was last asked.
func (f *front) taken() []frontCall {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

// choose notes a call, and says where it goes.
func (f *front) choose(method, session string) *grpc.ClientConn {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.calls = append(f.calls, frontCall{method[strings.LastIndex(method, "/")+1:], session})
	place := len(f.calls)
	if session != "" {
		place = int(session[len(session)-1])
	}
	return f.replicas[place%len(f.replicas)]
}

func (f *front) pass(_ any, inner grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(inner)
	headers, _ := metadata.FromIncomingContext(inner.Context())
	replica := f.choose(method, strings.Join(headers.Get("debug-relay-session"), ","))
	var message []byte
	if err := inner.RecvMsg(&message); err != nil {
		return err
	}
	sent := metadata.Pairs()
	for _, name := range []string{"authorization", "debug-relay-session"} {
		sent.Append(name, headers.Get(name)...)
	}
	ctx := metadata.NewOutgoingContext(inner.Context(), sent)
	outer, err := replica.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, method, grpc.ForceCodec(asItIs{}))
	if err == nil {
		err = outer.SendMsg(&message)
	}
	if err == nil {
		err = outer.CloseSend()
	}
	for err == nil {
		if err = outer.RecvMsg(&message); err == nil {
			err = inner.SendMsg(&message)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// asItIs takes messages as bytes.
type asItIs struct{}

func (asItIs) Marshal(message any) ([]byte, error) { return *message.(*[]byte), nil }
func (asItIs) Unmarshal(data []byte, message any) error {
	*message.(*[]byte) = bytes.Clone(data)
	return nil
}
func (asItIs) Name() string { return "as it is" }
