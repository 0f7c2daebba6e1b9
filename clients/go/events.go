package debugrelay

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"time"

	"google.golang.org/grpc"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// Event is something that happened in a session.
type Event struct {
	// SessionID is the session that it happened in.
	SessionID string
	// Message is all that the server said.
	Message *pb.Event
}

// Sequence is the event's number in its session, from 1.
func (e Event) Sequence() uint64 { return e.Message.GetSequence() }

// Time is when it happened.
func (e Event) Time() time.Time { return e.Message.GetTime().AsTime() }

// Stop is the stop, of EventStopped. Nil for others.
func (e Event) Stop() *Stop { return e.Message.GetStopped() }

// Output is the beginning of the text, of EventOutput.
func (e Event) Output() string { return e.Message.GetOutput().GetText() }

// Gap is the numbers of the first and the last event that are no longer kept, and true, of EventGap.
func (e Event) Gap() (first, last uint64, ok bool) {
	gap := e.Message.GetGap()
	return gap.GetFromSequence(), gap.GetToSequence(), gap != nil
}

// Type is what kind of event it is.
func (e Event) Type() EventType {
	switch e.Message.GetPayload().(type) {
	case *pb.Event_StateChanged:
		return EventStateChanged
	case *pb.Event_Stopped:
		return EventStopped
	case *pb.Event_Continued:
		return EventContinued
	case *pb.Event_Output:
		return EventOutput
	case *pb.Event_BreakpointChanged:
		return EventBreakpointChanged
	case *pb.Event_Thread:
		return EventThread
	case *pb.Event_Process:
		return EventProcess
	case *pb.Event_Module:
		return EventModule
	case *pb.Event_Exited:
		return EventExited
	case *pb.Event_Terminated:
		return EventTerminated
	case *pb.Event_AdapterMessage:
		return EventAdapterMessage
	case *pb.Event_Gap:
		return EventGap
	default:
		return pb.EventType_EVENT_TYPE_UNSPECIFIED
	}
}

// String tells the event to people.
func (e Event) String() string {
	text := fmt.Sprintf("%s %d: %s", e.SessionID, e.Sequence(), word(e.Type(), "EVENT_TYPE_"))
	switch payload := e.Message.GetPayload().(type) {
	case *pb.Event_StateChanged:
		return text + " to " + word(payload.StateChanged.GetTo(), "SESSION_STATE_")
	case *pb.Event_Stopped:
		return text + " at " + newLocation(payload.Stopped.GetLocation()).String()
	case *pb.Event_Output:
		return text + fmt.Sprintf(" %q", e.Output())
	case *pb.Event_Gap:
		return text + fmt.Sprintf(" from %d to %d", payload.Gap.GetFromSequence(), payload.Gap.GetToSequence())
	default:
		return text
	}
}

type eventFilter struct {
	after  uint64
	each   map[string]uint64
	types  []EventType
	labels map[string]string
}

type (
	// EventOption chooses events of a session.
	EventOption interface {
		choose(*eventFilter)
		ofOne()
	}
	// AllEventsOption chooses events of all sessions.
	AllEventsOption interface {
		choose(*eventFilter)
		ofAll()
	}
	// TypesSetting is kinds of events.
	TypesSetting []EventType
	// AfterSetting is the number of an event.
	AfterSetting uint64
	// AfterEachSetting is numbers of events by session.
	AfterEachSetting map[string]uint64
	// LabelSetting is a label of sessions.
	LabelSetting [2]string
)

// Only chooses these kinds of events. Gaps come always.
func Only(types ...EventType) TypesSetting { return types }

// After chooses events with a greater sequence. Outcome.Message.Sequence is one to go on from.
func After(sequence uint64) AfterSetting { return AfterSetting(sequence) }

// AfterEach chooses events with a greater sequence, by session id.
func AfterEach(sequences map[string]uint64) AfterEachSetting { return sequences }

// OfLabel chooses events of sessions with this label.
func OfLabel(name, value string) LabelSetting { return LabelSetting{name, value} }

func (t TypesSetting) choose(f *eventFilter)     { f.types = append(f.types, t...) }
func (TypesSetting) ofOne()                      {}
func (TypesSetting) ofAll()                      {}
func (a AfterSetting) choose(f *eventFilter)     { f.after = uint64(a) }
func (AfterSetting) ofOne()                      {}
func (a AfterEachSetting) choose(f *eventFilter) { maps.Copy(f.each, a) }
func (AfterEachSetting) ofAll()                  {}
func (l LabelSetting) choose(f *eventFilter)     { f.labels[l[0]] = l[1] }
func (LabelSetting) ofAll()                      {}

// Events reads the events that are kept, then each as it happens, until the session is over. After
// a break it goes on by itself after the last one; what is no longer kept is an EventGap.
func (s *Session) Events(ctx context.Context, options ...EventOption) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var filter eventFilter
		for _, option := range options {
			option.choose(&filter)
		}
		request := &pb.StreamEventsRequest{SessionId: s.id, AfterSequence: filter.after, Types: filter.types}
		open := func(ctx context.Context) (grpc.ServerStreamingClient[pb.StreamEventsResponse], error) {
			return s.relay.events.StreamEvents(ctx, request)
		}
		take := func(message *pb.StreamEventsResponse) Event {
			request.AfterSequence = message.GetEvent().GetSequence()
			return Event{SessionID: s.id, Message: message.GetEvent()}
		}
		follow(ctx, s.relay, open, take)(yield)
	}
}

// AllEvents reads the events of all sessions, those made later included, until ctx is done. After a
// break it goes on by itself after the last ones.
func (r *Relay) AllEvents(ctx context.Context, options ...AllEventsOption) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		filter := eventFilter{each: make(map[string]uint64), labels: make(map[string]string)}
		for _, option := range options {
			option.choose(&filter)
		}
		request := &pb.StreamAllEventsRequest{
			Labels: filter.labels, Types: filter.types, AfterSequences: filter.each,
		}
		open := func(ctx context.Context) (grpc.ServerStreamingClient[pb.StreamAllEventsResponse], error) {
			return r.events.StreamAllEvents(ctx, request)
		}
		take := func(message *pb.StreamAllEventsResponse) Event {
			request.AfterSequences[message.GetSessionId()] = message.GetEvent().GetSequence()
			return Event{SessionID: message.GetSessionId(), Message: message.GetEvent()}
		}
		follow(ctx, r, open, take)(yield)
	}
}
