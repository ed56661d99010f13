package httpsource

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

const (
	// maxConfirmation bounds a confirmation: a name of 255 bytes, all of them escaped, and three numbers.
	maxConfirmation = 4 << 10
	// maxHead bounds a head: four numbers.
	maxHead = 1 << 10
	// headerNone tells the 404 of a fleet without a state from that of a wrong address.
	headerNone = "Firebreak-None"
	// askAgain is what a source that does not say when is said to have said.
	askAgain = 5 * time.Second
)

// Origin is where a Handler has it from; client.Source has the same methods.
type Origin interface {
	Head(ctx context.Context) (control.Head, error)
	Document(ctx context.Context, atLeast control.Head) (*routing.Document, error)
	Confirm(ctx context.Context, c control.Confirmation) error
}

// Handler serves a source. It looks at the last element of the path only, so it may be mounted anywhere.
type Handler struct {
	origin Origin
	tokens [][sha256.Size]byte
}

// NewHandler serves origin to who has one of the bearer tokens. Without any token everybody is let in: whoever mounts the handler asks who
// comes.
func NewHandler(origin Origin, tokens ...string) *Handler {
	h := &Handler{origin: origin}
	for _, t := range tokens {
		h.tokens = append(h.tokens, sha256.Sum256([]byte(t)))
	}
	return h
}

// ServeHTTP answers head, document and confirmations.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.knows(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "want a bearer token", http.StatusUnauthorized)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	path := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch {
	case path == "head" && r.Method == http.MethodGet:
		h.head(w, r)
	case path == "document" && r.Method == http.MethodGet:
		h.document(w, r)
	case path == "confirmations" && r.Method == http.MethodPut:
		h.confirm(w, r)
	case path == "head" || path == "document":
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "want GET", http.StatusMethodNotAllowed)
	case path == "confirmations":
		w.Header().Set("Allow", http.MethodPut)
		http.Error(w, "want PUT", http.StatusMethodNotAllowed)
	default:
		http.NotFound(w, r)
	}
}

// knows compares with every token, in the same time whichever it is.
func (h *Handler) knows(r *http.Request) bool {
	if len(h.tokens) == 0 {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	given := sha256.Sum256([]byte(token))
	known := 0
	for i := range h.tokens {
		known |= subtle.ConstantTimeCompare(given[:], h.tokens[i][:])
	}
	return known == 1 && strings.EqualFold(scheme, "Bearer")
}

func (h *Handler) head(w http.ResponseWriter, r *http.Request) {
	head, err := h.origin.Head(r.Context())
	if err != nil {
		refuse(w, err)
		return
	}
	b, err := head.Encode()
	if err != nil {
		refuse(w, err)
		return
	}
	send(w, r, etag(b), b)
}

func (h *Handler) document(w http.ResponseWriter, r *http.Request) {
	atLeast, err := atLeastOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	d, err := h.origin.Document(r.Context(), atLeast)
	if err != nil {
		refuse(w, err)
		return
	}
	b, err := d.Encode()
	if err != nil {
		refuse(w, err)
		return
	}
	send(w, r, etag(b), b)
}

// atLeastOf reads the query; what is not given is 0.
func atLeastOf(r *http.Request) (h control.Head, err error) {
	for name, into := range map[string]*uint64{"epoch": &h.Epoch, "version": &h.Version} {
		if text := r.URL.Query().Get(name); text != "" {
			if *into, err = strconv.ParseUint(text, 10, 64); err != nil {
				return h, fmt.Errorf("%s: want a number", name)
			}
		}
	}
	return h, nil
}

func etag(b []byte) string {
	sum := sha256.Sum256(b)
	return fmt.Sprintf(`"%x"`, sum[:12])
}

// send answers with b, or with 304 where the caller has it.
func send(w http.ResponseWriter, r *http.Request, tag string, b []byte) {
	w.Header().Set("ETag", tag)
	for given := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if given = strings.TrimSpace(given); given == tag || given == "*" || given == "W/"+tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	_, _ = w.Write(b) // who asked has gone
}

func (h *Handler) confirm(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxConfirmation))
	if err != nil {
		http.Error(w, "the confirmation is too long or was cut off", http.StatusRequestEntityTooLarge)
		return
	}
	c, err := control.ParseConfirmation(b)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := h.origin.Confirm(r.Context(), *c); err != nil {
		refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// refuse answers with what a source's error means. What it says of the source stays here: it may have addresses in it.
func refuse(w http.ResponseWriter, err error) {
	var slow interface{ RetryAfter() time.Duration }
	switch {
	case errors.Is(err, control.ErrNone):
		w.Header().Set(headerNone, "1")
		http.Error(w, control.ErrNone.Error(), http.StatusNotFound)
	case errors.As(err, &slow):
		w.Header().Set("Retry-After", seconds(slow.RetryAfter()))
		http.Error(w, "the source asks for fewer calls", http.StatusTooManyRequests)
	default:
		w.Header().Set("Retry-After", seconds(askAgain))
		http.Error(w, "the source does not answer", http.StatusServiceUnavailable)
	}
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(max(1, math.Ceil(d.Seconds())), 'f', 0, 64)
}
