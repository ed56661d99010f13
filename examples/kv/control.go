package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
	"firebreak/routing/httpsource"
)

// fleetName is the fleet of the example.
const fleetName = "kv"

// keeper has the fleet's control state: memory, or Kafka.
type keeper interface {
	httpsource.Origin // what clients read

	Load(ctx context.Context) (*control.State, error)
	Write(ctx context.Context, was control.At, next *control.State) (control.Written, error)
}

// board stands for firebreak: it carries out what a person asks for, and serves the state to clients that come over HTTP.
type board struct {
	addresses map[string]string // by shard
	state     keeper
}

// placed is where a virtual shard went, as the board answers it.
type placed struct {
	VShard   routing.VShard
	From, To string // addresses
	Version  uint64
}

// firstState is that of a fleet of these shards.
func firstState(names []string) (*control.State, error) {
	shards := make([]routing.Shard, 0, len(names))
	for _, name := range names {
		shards = append(shards, routing.Shard{Name: name, Role: routing.Serving})
	}
	d, err := routing.Adopt(fleetName, routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, shards)
	if err != nil {
		return nil, err
	}
	return control.First(d), nil
}

func (b *board) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/routing/", httpsource.NewHandler(b.state))
	mux.HandleFunc("GET /shards", func(w http.ResponseWriter, _ *http.Request) { reply(w, b.addresses) })
	mux.HandleFunc("POST /move", func(w http.ResponseWriter, r *http.Request) {
		v, err := strconv.ParseInt(r.FormValue("vshard"), 10, 32)
		if err != nil {
			http.Error(w, "vshard: want a number", http.StatusBadRequest)
			return
		}
		p, err := b.move(r.Context(), routing.VShard(v), r.FormValue("to"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		reply(w, p)
	})
	return mux
}

// move gives a virtual shard to another shard by one write of the state, as a person's request would. Where somebody else wrote
// meanwhile, it fails and nothing is changed.
func (b *board) move(ctx context.Context, v routing.VShard, to string) (placed, error) {
	was, err := b.state.Load(ctx)
	if err != nil {
		return placed{}, err
	}
	table, err := routing.NewTable(was.Document)
	if err != nil {
		return placed{}, err
	}
	id := rand.Text()
	next := was.Answer(&control.Request{
		ID: id, By: "the example", Reason: "to show a move", Do: control.DoSet, IfVersion: was.Document.Version,
		Edits: []control.Edit{{Entry: routing.VShardEntry(v), Value: to}},
	}, time.Now())
	if answer, _ := next.Answered(id); answer.Refused != "" {
		return placed{}, refused(answer.Refused)
	}
	next.Outbox, next.Answers = nil, nil // nobody keeps a journal here, nor the request
	if _, err := b.state.Write(ctx, was.At(), next); err != nil {
		return placed{}, err
	}
	from := was.Document.Shards[table.Owner(v)].Name
	return placed{VShard: v, From: b.addresses[from], To: b.addresses[to], Version: next.Document.Version}, nil
}

// home takes all moves back. It is for a fleet whose shards have nothing yet: what an earlier one moved is gone with that.
func (b *board) home(ctx context.Context) error {
	was, err := b.state.Load(ctx)
	if err != nil || len(was.Document.Moves) == 0 {
		return err
	}
	next := was.Next()
	next.Document.Moves = nil
	_, err = b.state.Write(ctx, was.At(), next)
	return err
}

// refused is why a request was refused.
type refused string

func (r refused) Error() string { return string(r) }

// reply answers with JSON.
func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // who asked has gone
}
