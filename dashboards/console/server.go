package console

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"firebreak/internal/access"
	"firebreak/internal/words"
)

// How long a client may take, and how many streams of events there may be.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 30 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 16 << 10 // bytes
	maxStreams    = 64
)

// Server is a running console. Open starts one; Close ends it.
type Server struct {
	http     *http.Server
	listener net.Listener
	served   chan struct{} // closed when the serving goroutine has ended
	ending   chan struct{} // closed: streams end, and so does a report that is being made
}

// Open listens and serves until Close. What is nil is not offered: reports are not made, nothing is acted on. Errors are those of the listener, the certificate and the
// tokens' files.
func Open(ctx context.Context, cfg access.Config, m *Model, s Source, reports Reporter, acts Actor, log *zap.Logger) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	errorLog, err := zap.NewStdLogAt(log, zap.WarnLevel)
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	srv := &Server{served: make(chan struct{}), ending: make(chan struct{})}
	handler, err := newHandler(&cfg, m, s, reports, acts, srv.ending)
	if err != nil {
		return nil, err
	}
	if srv.listener, err = cfg.Open(ctx); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	srv.http = &http.Server{
		Handler: handler, ErrorLog: errorLog, MaxHeaderBytes: maxHeader,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
	}
	go func() {
		defer close(srv.served)
		if err := srv.http.Serve(srv.listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the console ended", zap.Error(err))
		}
	}()
	return srv, nil
}

// Addr is the address that it listens on, with the port that was chosen.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Close stops listening, ends the streams and waits for requests under way until ctx ends, then cuts them off and returns ctx's
// error. It is called once.
func (s *Server) Close(ctx context.Context) error {
	close(s.ending)
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	<-s.served
	return err
}

// newHandler is all of it; ending is closed when streams, and a report that is being made, are to end.
func newHandler(cfg *access.Config, m *Model, s Source, reports Reporter, acts Actor, ending <-chan struct{}) (http.Handler, error) {
	g, err := access.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	p, err := newPages(m, s, newMaker(reports, ending), acts)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	p.register(mux)
	p.api.register(mux)
	mux.Handle("GET /events", newEvents(m, ending))
	return before(g, mux), nil
}

// before asks who it is, and sets what every answer says to browsers and caches. What changes something is asked for by POST, where there
// is a way for it, and never by a page of another site.
func before(g *access.Guard, next *http.ServeMux) http.Handler {
	origins := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policyOf)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin") // no-referrer would hide from us which site a form stands on
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if !reads && !changes(next, r) {
			h.Set("Allow", "GET, HEAD")
			fail(w, http.StatusMethodNotAllowed, "nothing can be changed here: want GET")
			return
		}
		who, ok := g.Who(r)
		if !ok || who.Role < access.RoleViewer {
			refuse(g, w, r)
			return
		}
		if reads && foreign(r) || origins.Check(r) != nil {
			refused(w, r, http.StatusForbidden, "another site asks: open this from the address bar, or from a page of firebreak")
			return
		}
		next.ServeHTTP(w, withPerson(r, who))
	})
}

// changes says whether there is a way to have something changed by a request.
func changes(mux *http.ServeMux, r *http.Request) bool {
	_, pattern := mux.Handler(r)
	return r.Method == http.MethodPost && strings.HasPrefix(pattern, http.MethodPost+" ")
}

// foreign says whether a page of another site asks, for what its reader did not open: browsers say so (Fetch Metadata), programs send no
// such header. A link to a page may be followed from anywhere; the making of a report costs too much to be begun by others.
func foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	opened := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	return !opened || strings.HasPrefix(r.URL.Path, "/reports/")
}

// people says whether a browser wants a page, and no program data.
func people(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html") && !strings.HasPrefix(r.URL.Path, "/api/")
}

// refused answers who is told nothing: people with a page that has no more than the reason, programs as the API does.
func refused(w http.ResponseWriter, r *http.Request, status int, reason string) {
	if !people(r) {
		fail(w, status, reason)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	title := html.EscapeString(http.StatusText(status))
	_, _ = fmt.Fprintf(w, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>%s – firebreak</title></head><body><main><h1>%s</h1><p>%s</p></main></body></html>\n",
		title, title, html.EscapeString(words.Ended(words.Capital(reason))))
}

// refuse answers who is not known.
func refuse(g *access.Guard, w http.ResponseWriter, r *http.Request) {
	if g.Misnamed(r) {
		refused(w, r, http.StatusForbidden, "the proxy asks by a name that is not known: console.proxy.hosts lists those that it uses")
		return
	}
	if g.Open() {
		refused(w, r, http.StatusForbidden, "this listener answers to names of this machine only, such as localhost")
		return
	}
	if g.Tokens() {
		w.Header().Set("WWW-Authenticate", `Basic realm="firebreak: any name, a token as the password", charset="UTF-8"`)
	}
	refused(w, r, http.StatusUnauthorized, "no token, or none that is known")
}
