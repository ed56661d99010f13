package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"firebreak/internal/access"
	"firebreak/routing"
	"firebreak/routing/control"
	"firebreak/routing/httpsource"
)

const (
	// servedFor is how old what was read of a store may be when an application is given it: those of a large fleet ask all the time.
	servedFor = time.Second
	// serveTimeout bounds a request: an application asks again.
	serveTimeout = 10 * time.Second
	// maxServedHeader bounds the headers of a request, in bytes.
	maxServedHeader = 16 << 10
)

// relay answers applications out of memory, and asks the store once for all of them. What it says is at most servedFor old.
type relay struct {
	httpsource.Origin

	mu   sync.Mutex // held while the store is asked, so that the others wait for that answer
	head control.Head
	at   time.Time // when head was asked for; zero = never, or in vain
	doc  *routing.Document
}

// Head implements httpsource.Origin.
func (r *relay) Head(ctx context.Context) (control.Head, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); r.at.IsZero() || now.Sub(r.at) >= servedFor {
		head, err := r.Origin.Head(ctx)
		if err != nil {
			r.at = time.Time{}
			return head, err
		}
		r.head, r.at = head, now
	}
	return r.head, nil
}

// Document implements httpsource.Origin.
func (r *relay) Document(ctx context.Context, atLeast control.Head) (*routing.Document, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return nil, err
	}
	if atLeast.Newer(head) {
		head = atLeast
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.doc == nil || head.Newer(control.Head{Epoch: r.doc.Epoch, Version: r.doc.Version}) {
		doc, err := r.Origin.Document(ctx, head)
		if err != nil {
			return nil, err
		}
		r.doc = doc
	}
	return r.doc, nil
}

// routingServer serves the routing of all fleets to applications.
type routingServer struct {
	http     *http.Server
	listener net.Listener
	served   chan struct{}
}

// openRouting listens where state.serve says; nil = nowhere.
func (d *daemon) openRouting(ctx context.Context) (*routingServer, error) {
	cfg := &d.cfg.State.Serve.Config
	if cfg.Listen == "" {
		return nil, nil
	}
	if d.routing == nil {
		d.log.Warn("no routing is served: a process that stands alone has none")
		return nil, nil
	}
	handler, err := d.routing.handler(cfg)
	if err != nil {
		return nil, err
	}
	errorLog, err := zap.NewStdLogAt(d.log, zap.WarnLevel)
	if err != nil {
		return nil, err
	}
	s := &routingServer{served: make(chan struct{})}
	if s.listener, err = cfg.Open(ctx); err != nil {
		return nil, usageError{oneLine(fmt.Errorf("state.serve: %w", err))}
	}
	s.http = &http.Server{
		Handler: handler, ErrorLog: errorLog, MaxHeaderBytes: maxServedHeader, ReadTimeout: serveTimeout, ReadHeaderTimeout: serveTimeout,
		WriteTimeout: 2 * serveTimeout, IdleTimeout: time.Minute,
	}
	go func() {
		defer close(s.served)
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			d.log.Error("routing is not served any more", zap.Error(err))
		}
	}()
	d.log.Info("routing listener", zap.Stringer("address", s.listener.Addr()))
	return s, nil
}

// close ends it; requests under way have until ctx ends.
func (s *routingServer) close(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	<-s.served
	return err
}

// handler serves /routing/fleets/FLEET/ of every fleet that has a placement, to who may come.
func (s *stewardship) handler(cfg *access.Config) (http.Handler, error) {
	guard, err := access.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("state.serve: %w", err)
	}
	fleets := map[string]http.Handler{}
	for _, of := range s.of {
		source, err := s.states.source(of.Fleet())
		if err != nil {
			return nil, err
		}
		fleets[of.Fleet()] = httpsource.NewHandler(&relay{Origin: source})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/routing/fleets/{fleet}/{what}", func(w http.ResponseWriter, r *http.Request) {
		if who, ok := guard.Who(r); !ok || who.Role < access.RoleViewer {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "want a bearer token", http.StatusUnauthorized)
			return
		}
		fleet := fleets[r.PathValue("fleet")]
		if fleet == nil {
			http.Error(w, "no such fleet is routed", http.StatusNotFound)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), serveTimeout)
		defer cancel()
		fleet.ServeHTTP(w, r.WithContext(ctx))
	})
	return mux, nil
}
