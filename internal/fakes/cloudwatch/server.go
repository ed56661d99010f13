package cloudwatch

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/smithy-go/encoding/cbor"
)

// Server is one account in one region. New makes it.
type Server struct {
	mu     sync.Mutex // guards all below
	series map[string][]Point
	faults []Fault
	calls  []Call
	page   int
	status map[string]string // by the name of a metric
}

// Point is a value of a minute.
type Point struct {
	At    time.Time // its start
	Value float64
}

// Call is one call that came.
type Call struct {
	Queries    int
	Stats      []string // that were asked for, each once
	Start, End time.Time
	Token      string
	Error      string // kind of the answer; empty = it was answered
}

// Fault is what one call gets instead of an answer.
type Fault struct {
	Say   string        // kind of the error; empty = none
	Delay time.Duration // before anything else
}

// What CloudWatch says to calls; each may be a Fault's Say.
const (
	Throttled    = "Throttling"
	AccessDenied = "AccessDenied"
	Internal     = "InternalServiceFault"
	Invalid      = "InvalidParameterValue"
	Unknown      = "FakeDoesNotKnow"
)

// New makes a server without metrics.
func New() *Server { return &Server{series: map[string][]Point{}, status: map[string]string{}} }

// Put adds points to a metric.
func (s *Server) Put(namespace, name string, dimensions map[string]string, points ...Point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := key(namespace, name, dimensions)
	s.series[at] = append(s.series[at], points...)
}

// Page makes answers have pages of at most so many points; 0 = one page.
func (s *Server) Page(points int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.page = points
}

// Status makes results of a metric, and of what is computed of it, have a status and no values.
func (s *Server) Status(name, status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status[name] = status
}

// Break makes the next calls fail, one fault each.
func (s *Server) Break(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Calls lists the calls that came so far.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// key is a metric by its name and dimensions.
func key(namespace, name string, dimensions map[string]string) string {
	parts := make([]string, 0, len(dimensions))
	for k, v := range dimensions {
		parts = append(parts, k+"="+v)
	}
	slices.Sort(parts)
	return namespace + "\x00" + name + "\x00" + strings.Join(parts, "\x00")
}

const (
	path = "/service/GraniteServiceVersion20100801/operation/GetMetricData"
	// mostBody bounds a request, in bytes.
	mostBody = 1 << 20
)

// failure is an error as CloudWatch says it.
type failure struct{ kind, said string }

func (f *failure) Error() string { return f.kind + ": " + f.said }

// ServeHTTP answers one call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, mostBody+1))
	switch {
	case err != nil || len(body) > mostBody:
		reply(w, nil, &failure{Invalid, "the request is too long"})
		return
	case r.Method != http.MethodPost || r.URL.Path != path || r.Header.Get("Smithy-Protocol") != "rpc-v2-cbor" || r.Header.Get("Content-Type") != "application/cbor":
		reply(w, nil, &failure{Unknown, "this call: " + r.Method + " " + r.URL.Path})
		return
	case !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential="):
		reply(w, nil, &failure{"MissingAuthenticationToken", "the request is not signed"})
		return
	}
	fault := s.fault()
	if fault.Delay > 0 {
		wait := time.NewTimer(fault.Delay)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
	in, failed := read(body)
	var out cbor.Value
	if fault.Say != "" {
		failed = &failure{fault.Say, "as the test asked for"}
	}
	s.mu.Lock()
	if failed == nil {
		out, failed = s.answer(in)
	}
	s.note(in, failed)
	s.mu.Unlock()
	reply(w, out, failed)
}

func (s *Server) fault() Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults) == 0 {
		return Fault{}
	}
	f := s.faults[0]
	s.faults = s.faults[1:]
	return f
}

// note is called with the lock.
func (s *Server) note(in *request, failed *failure) {
	c := Call{}
	if in != nil {
		c = Call{Queries: len(in.queries), Start: in.start, End: in.end, Token: in.token}
		for _, q := range in.queries {
			if q.stat != "" && !slices.Contains(c.Stats, q.stat) {
				c.Stats = append(c.Stats, q.stat)
			}
		}
	}
	if failed != nil {
		c.Error = failed.kind
	}
	s.calls = append(s.calls, c)
}

// reply writes an answer.
func reply(w http.ResponseWriter, out cbor.Value, failed *failure) {
	w.Header().Set("Content-Type", "application/cbor")
	w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
	status := http.StatusOK
	if failed != nil {
		status = http.StatusBadRequest
		if failed.kind == Internal {
			status = http.StatusInternalServerError
		}
		out = cbor.Map{"__type": cbor.String("com.amazonaws.cloudwatch#" + failed.kind), "message": cbor.String(failed.said)}
	}
	w.WriteHeader(status)
	_, _ = w.Write(cbor.Encode(out)) // who went away needs no answer
}
