package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
	"firebreak/routing/httpsource"
)

// fleetName is the fleet of the example.
const fleetName = "kv"

// board stands for the control state's store and its decider: it has the state in memory, serves it to the clients and answers requests.
type board struct {
	addresses map[string]string // by shard

	mu    sync.Mutex
	state *control.State
	held  map[string]control.Confirmation
	roll  control.Roll
}

// placed is where a virtual shard went, as the board answers it.
type placed struct {
	VShard   routing.VShard
	From, To string // addresses
	Version  uint64
}

func newBoard(names []string, addresses map[string]string) (*board, error) {
	shards := make([]routing.Shard, 0, len(names))
	for _, name := range names {
		shards = append(shards, routing.Shard{Name: name, Role: routing.Serving})
	}
	d, err := routing.Adopt(fleetName, routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, shards)
	if err != nil {
		return nil, err
	}
	return &board{addresses: addresses, state: control.First(d), held: map[string]control.Confirmation{}}, nil
}

// Head says where the state stands and how many clients live.
func (b *board) Head(context.Context) (control.Head, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.state.Document
	return control.Head{Epoch: d.Epoch, Version: d.Version, Clients: b.roll.Live(time.Now())}, nil
}

// Document gives the only one there is, which is the latest.
func (b *board) Document(context.Context, control.Head) (*routing.Document, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.Document, nil
}

// Confirm takes note of what a client holds.
func (b *board) Confirm(_ context.Context, c control.Confirmation) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held[c.Client] = c
	all := make([]control.Confirmation, 0, len(b.held))
	for _, c := range b.held {
		all = append(all, c)
	}
	now := time.Now()
	b.roll.Observe(now, all)
	for _, gone := range b.roll.Forgotten(now) {
		delete(b.held, gone)
	}
	return nil
}

func (b *board) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/routing/", httpsource.NewHandler(b))
	mux.HandleFunc("GET /shards", func(w http.ResponseWriter, _ *http.Request) { reply(w, b.addresses) })
	mux.HandleFunc("POST /move", func(w http.ResponseWriter, r *http.Request) {
		v, err := strconv.ParseInt(r.FormValue("vshard"), 10, 32)
		if err != nil {
			http.Error(w, "vshard: want a number", http.StatusBadRequest)
			return
		}
		p, err := b.move(routing.VShard(v), r.FormValue("to"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		reply(w, p)
	})
	return mux
}

// move gives a virtual shard to another shard by one write of the state, as a person's request would.
func (b *board) move(v routing.VShard, to string) (placed, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.state
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
	if err := control.Follows(was.At(), next); err != nil {
		return placed{}, err
	}
	b.state = next
	from := was.Document.Shards[table.Owner(v)].Name
	return placed{VShard: v, From: b.addresses[from], To: b.addresses[to], Version: next.Document.Version}, nil
}

// refused is why a request was refused.
type refused string

func (r refused) Error() string { return string(r) }

// reply answers with JSON.
func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // who asked has gone
}
