package debugrelay

import (
	"context"
	"iter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

const (
	// readSize is how much output is asked for at once.
	readSize = 1 << 20
	// inputSize is how much input is sent at once; the server's limit is 4 MiB.
	inputSize = 1 << 20
	// inputWait is how long the server waits for the program to read.
	inputWait = 5 * time.Second
)

// OutputOption chooses output. Whoever misses one makes it:
//
//	debugrelay.OutputOption(func(r *debugrelaypb.StreamOutputRequest) { … })
type OutputOption func(*pb.StreamOutputRequest)

// FromOffset begins with the byte at this offset.
func FromOffset(offset uint64) OutputOption {
	return func(r *pb.StreamOutputRequest) { r.AfterOffset = offset }
}

// OnlyFrom chooses output of these categories.
func OnlyFrom(categories ...Category) OutputOption {
	return func(r *pb.StreamOutputRequest) { r.Categories = append(r.Categories, categories...) }
}

// Chunk is a piece of output, or word that some is missing.
type Chunk struct {
	// Offset is that of the first byte, Next that of the byte after the last.
	Offset, Next uint64
	// Category is where it comes from.
	Category Category
	// Bytes is what the program wrote. Nil when it is no longer kept: then all from Offset to Next
	// is missing.
	Bytes []byte
}

// Missing is true for output that is no longer kept.
func (c Chunk) Missing() bool { return c.Bytes == nil && c.Offset < c.Next }

// String is the text.
func (c Chunk) String() string { return string(c.Bytes) }

// StreamOutput reads the output that is kept, then more as it comes, until the session is over.
// After a break it goes on by itself where it was.
func (s *Session) StreamOutput(ctx context.Context, options ...OutputOption) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		request := outputRequest(s, options)
		open := func(ctx context.Context) (grpc.ServerStreamingClient[pb.StreamOutputResponse], error) {
			return s.relay.output.StreamOutput(ctx, request)
		}
		take := func(message *pb.StreamOutputResponse) Chunk {
			chunk := newChunk(message.GetChunk())
			if gap := message.GetGap(); gap != nil {
				chunk = missing(gap)
			}
			request.AfterOffset = chunk.Next
			return chunk
		}
		follow(ctx, s.relay, open, take)(yield)
	}
}

func outputRequest(session *Session, options []OutputOption) *pb.StreamOutputRequest {
	request := &pb.StreamOutputRequest{}
	for _, option := range options {
		option(request)
	}
	request.SessionId, request.IncludeData, request.DataOnly = session.id, false, true
	return request
}

func newChunk(message *pb.OutputChunk) Chunk {
	offset, data := message.GetOffset(), message.GetData()
	return Chunk{Offset: offset, Next: offset + uint64(len(data)), Category: message.GetCategory(), Bytes: data}
}

func missing(gap *pb.OutputGap) Chunk {
	return Chunk{Offset: gap.GetFromOffset(), Next: gap.GetToOffset()}
}

// Output is what a session has written so far.
type Output struct {
	// Text is all of it that is kept.
	Text string
	// Next is where to go on.
	Next uint64
	// MissingBytes is how much of what was asked for is no longer kept.
	MissingBytes uint64
	// End is true when the program has ended and this is all.
	End bool
}

// Output reads all output that is there now, and does not wait for more.
func (s *Session) Output(ctx context.Context, options ...OutputOption) (Output, error) {
	wanted := outputRequest(s, options)
	request := &pb.GetOutputRequest{
		SessionId: s.id, AfterOffset: wanted.AfterOffset, Categories: wanted.Categories, MaxBytes: readSize, DataOnly: true,
	}
	var text []byte
	read := Output{Next: wanted.AfterOffset}
	for {
		page, err := ask(ctx, s.relay, answerMargin, s.relay.output.GetOutput, request)
		if err != nil {
			return Output{}, err
		}
		for _, chunk := range page.Chunks {
			text = append(text, chunk.GetData()...)
		}
		read.MissingBytes += page.GetGap().GetToOffset() - page.GetGap().GetFromOffset()
		read.End = page.End
		if page.End || page.NextOffset <= read.Next {
			read.Text, read.Next = string(text), max(read.Next, page.NextOffset)
			return read, nil
		}
		read.Next, request.AfterOffset = page.NextOffset, page.NextOffset
	}
}

// WriteInput writes to the program's standard input, and waits until the program has taken all of
// it or ctx is done. It tells how many bytes were taken.
func (s *Session) WriteInput(ctx context.Context, text string) (int, error) {
	written := 0
	for written < len(text) {
		piece := text[written:min(written+inputSize, len(text))]
		answer, err := ask(ctx, s.relay, inputWait+answerMargin, s.relay.output.WriteInput,
			&pb.WriteInputRequest{SessionId: s.id, Data: []byte(piece)})
		if err != nil {
			return written, err
		}
		written += int(answer.GetBytesWritten())
	}
	return written, nil
}

// CloseInput ends the program's standard input.
func (s *Session) CloseInput(ctx context.Context) error {
	_, err := ask(ctx, s.relay, inputWait+answerMargin, s.relay.output.WriteInput,
		&pb.WriteInputRequest{SessionId: s.id, Close: true})
	return err
}

// WaitForOutput reads like Output, and waits for the first byte if there is none yet.
func (s *Session) WaitForOutput(ctx context.Context, limit time.Duration, options ...OutputOption) (Output, error) {
	wanted := outputRequest(s, options)
	_, err := ask(ctx, s.relay, limit+answerMargin, s.relay.output.GetOutput, &pb.GetOutputRequest{
		SessionId: s.id, AfterOffset: wanted.AfterOffset, Categories: wanted.Categories, MaxBytes: 1,
		Wait: durationpb.New(limit), DataOnly: true,
	})
	if err != nil {
		return Output{}, err
	}
	return s.Output(ctx, options...)
}
