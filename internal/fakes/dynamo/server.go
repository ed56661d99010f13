package dynamo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// mostBody bounds a request, in bytes: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
const mostBody = 16 << 20

// Server is one account in one region. It is an http.Handler, and an http.RoundTripper that answers without a socket, for bubbles of
// virtual time. Its zero value is not ready; use New.
type Server struct {
	mu     sync.Mutex // guards all below
	now    func() time.Time
	tables map[string]*table
	faults []*Fault
	calls  []Call
	units  Units
	limits limits
	lag    time.Duration
	behind http.RoundTripper // answers instead; nil = the tables do
}

// New makes a server without tables. now is its clock.
func New(now func() time.Time) *Server {
	return &Server{now: now, tables: map[string]*table{}, limits: limits{used: map[string]*second{}}}
}

// Before makes a server that has no tables and asks another one, whose faults and counts it makes.
func Before(now func() time.Time, other http.RoundTripper) *Server {
	s := New(now)
	s.behind = other
	return s
}

// Lag makes eventually consistent reads see what stood so long ago, at most.
func (s *Server) Lag(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lag = by
}

// failure is an error as DynamoDB says it.
type failure struct {
	status     int
	kind, said string
}

func (f *failure) Error() string { return f.kind + ": " + f.said }

func asFailure(err error, into **failure) bool { return errors.As(err, into) }

func invalid(said string) *failure { return &failure{400, "ValidationException", said} }

// refuse is for what DynamoDB takes and this server does not.
func refuse(what string) *failure { return &failure{400, Unknown, "the fake does not know " + what} }

// Unknown is the error of calls that DynamoDB may know and the fake does not.
const Unknown = "FakeDoesNotKnowException"

const prefix = "DynamoDB_20120810."

// operations are the calls that the server knows.
func (s *Server) operations() map[string]func([]byte) (any, error) {
	return map[string]func([]byte) (any, error){
		"CreateTable":             with(s.createTable),
		"DescribeTable":           with(s.describeTable),
		"UpdateContinuousBackups": with(s.updateBackups),
		"GetItem":                 with(s.getItem),
		"BatchGetItem":            with(s.batchGetItem),
		"Query":                   with(s.query),
		"PutItem":                 with(s.putItem),
		"UpdateItem":              with(s.updateItem),
		"DeleteItem":              with(s.deleteItem),
	}
}

// with reads the input of an operation strictly: a member that it does not know is refused.
func with[T any](run func(*T) (any, error)) func([]byte) (any, error) {
	return func(body []byte) (any, error) {
		in := new(T)
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.DisallowUnknownFields()
		if err := dec.Decode(in); err != nil {
			var said *failure
			if asFailure(err, &said) {
				return nil, said
			}
			return nil, refuse("the input: " + err.Error())
		}
		return run(in)
	}
}

// ServeHTTP answers one call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, mostBody+1))
	if err != nil || len(body) > mostBody {
		s.reply(w, nil, &failure{413, "RequestEntityTooLargeException", "more than 16 MB"})
		return
	}
	op, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), prefix)
	run := s.operations()[op]
	if s.behind != nil {
		run, ok = s.forward(r), true
	}
	switch {
	case r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-amz-json-1.0" || !ok || run == nil:
		s.reply(w, nil, refuse("this call: "+r.Method+" "+r.Header.Get("X-Amz-Target")))
		return
	case !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential="):
		s.reply(w, nil, &failure{400, "MissingAuthenticationTokenException", "the request is not signed"})
		return
	}
	call := read(op, body)
	fault := s.fault(&call)
	if fault.hold(r) {
		panic(http.ErrAbortHandler) // who asked went away while it took its time
	}
	var out any
	switch {
	case fault.Lose == LoseCall:
		err = errors.New("lost")
	case fault.Say != "":
		err = &failure{fault.status(), fault.Say, "as the test asked for"}
	case s.behind != nil:
		out, err = run(body)
	default:
		s.mu.Lock()
		out, err = s.run(run, &call, body)
		s.mu.Unlock()
	}
	s.note(call, err)
	if fault.Lose != LoseNothing {
		panic(http.ErrAbortHandler)
	}
	s.reply(w, out, err)
}

// forward asks the other server what r asks this one.
func (s *Server) forward(r *http.Request) func([]byte) (any, error) {
	return func(body []byte) (any, error) {
		again := r.Clone(r.Context())
		again.RequestURI, again.Body = "", io.NopCloser(bytes.NewReader(body))
		resp, err := s.behind.RoundTrip(again)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close() //nolint:errcheck // read only
		said, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode == http.StatusOK {
			return json.RawMessage(said), err
		}
		var f struct {
			Kind    string `json:"__type"`
			Message string `json:"message"`
		}
		if err := json.Unmarshal(said, &f); err != nil {
			return nil, err
		}
		return nil, &failure{resp.StatusCode, f.Kind[strings.IndexByte(f.Kind, '#')+1:], f.Message}
	}
}

// run is called with the lock.
func (s *Server) run(do func([]byte) (any, error), c *Call, body []byte) (any, error) {
	if s.limits.exceeded(s.now(), c.Partition) {
		return nil, &failure{400, Throttled, "too many units on one partition key"}
	}
	return do(body)
}

// reply writes an answer, with the checksum that the SDK compares.
func (*Server) reply(w http.ResponseWriter, out any, err error) {
	status := http.StatusOK
	if err != nil {
		var f *failure
		if !asFailure(err, &f) {
			f = &failure{500, "InternalServerError", err.Error()}
		}
		status, out = f.status, map[string]string{"__type": "com.amazonaws.dynamodb.v20120810#" + f.kind, "message": f.said}
	}
	body, err := json.Marshal(out)
	if err != nil {
		panic(fmt.Sprintf("an answer cannot be written: %v", err))
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.Header().Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	w.WriteHeader(status)
	_, _ = w.Write(body) // who went away needs no answer
}

// RoundTrip answers r without a socket. A lost reply is an error, as it is on a wire.
func (s *Server) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	if r.Body != nil {
		defer r.Body.Close() //nolint:errcheck // read only
	}
	defer func() {
		switch cause := recover(); {
		case cause == nil:
		case cause == any(http.ErrAbortHandler):
			if err = r.Context().Err(); err == nil {
				err = io.ErrUnexpectedEOF
			}
		default:
			panic(cause)
		}
	}()
	w := &answer{header: http.Header{}}
	s.ServeHTTP(w, r)
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// answer is what a handler wrote.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }
