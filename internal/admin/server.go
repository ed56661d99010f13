package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof" // it adds itself to the default mux too, which nothing serves
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"
)

// How long a client may take. A profile may take as long as it was asked to, on top.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 30 * time.Second
	idleTimeout   = 2 * time.Minute
	scrapeTimeout = 10 * time.Second // Prometheus's own default; beyond it 503
	scrapesAtOnce = 4                // one more is 503
	maxHeader     = 16 << 10         // bytes
)

// Server is a running admin server. Open starts one; Close ends it.
type Server struct {
	http     *http.Server
	listener net.Listener
	served   chan struct{} // closed when the serving goroutine has ended
}

// Open listens and serves until Close. The error is that of the listener. Names of conditions must be unique.
func Open(ctx context.Context, cfg Config, metrics prometheus.Gatherer, log *zap.Logger, conditions ...Condition) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("admin: %w", err)
	}
	errorLog, err := zap.NewStdLogAt(log, zap.WarnLevel)
	if err != nil {
		return nil, fmt.Errorf("admin: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("admin: %w", err)
	}
	scrape := promhttp.HandlerFor(metrics, promhttp.HandlerOpts{
		ErrorLog: errorLog, EnableOpenMetrics: true, MaxRequestsInFlight: scrapesAtOnce, Timeout: scrapeTimeout,
	})
	s := &Server{
		listener: listener, served: make(chan struct{}),
		http: &http.Server{
			Handler: guarded(routes(scrape, conditions)), ErrorLog: errorLog, MaxHeaderBytes: maxHeader,
			ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		},
	}
	go func() {
		defer close(s.served)
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the admin server ended", zap.Error(err))
		}
	}()
	return s, nil
}

// Addr is the address that it listens on, with the port that was chosen.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Close stops listening and waits for requests under way until ctx ends, then cuts them off and returns ctx's error.
// Calling it again does nothing.
func (s *Server) Close(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	<-s.served
	return err
}

func routes(scrape http.Handler, conditions []Condition) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", scrape)
	mux.HandleFunc("GET /-/healthy", healthy)
	mux.HandleFunc("GET /-/ready", ready(conditions))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /{$}", index)
	return mux
}

// guarded sets what every answer says to browsers and caches.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
