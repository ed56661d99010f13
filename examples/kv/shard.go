package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strconv"
	"sync"

	"firebreak/routing"
	"firebreak/routing/client"
)

const (
	maxValue = 64 << 10
	// maxHandover bounds what one virtual shard has.
	maxHandover = 64 << 20
)

// shard is one shard of the store. A virtual shard that was moved to it is served once its data came.
type shard struct {
	guard    *client.Guard
	closeAll func() // connections of the guard's source

	mu   sync.Mutex
	data map[string]row
	// arrived says of virtual shards that were moved whether their data came (true) or was handed over (false) last.
	arrived map[routing.VShard]bool
	carries map[routing.VShard]*carrying
}

func openShard(ctx context.Context, o *options, name string) (*shard, error) {
	source, closeAll, err := o.source()
	if err != nil {
		return nil, err
	}
	cfg := client.Default()
	cfg.Fleet, cfg.Name, cfg.Poll = fleetName, name, cmp.Or(o.poll, cfg.Poll) // a shard is one process, which keeps its name
	guard, err := client.OpenGuard(ctx, source, name, cfg)
	if err != nil {
		closeAll()
		return nil, err
	}
	return &shard{guard: guard, closeAll: closeAll, data: map[string]row{}, arrived: map[routing.VShard]bool{}, carries: map[routing.VShard]*carrying{}}, nil
}

func (s *shard) close() {
	s.guard.Close()
	s.closeAll()
}

func (s *shard) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/kv", s.guard.Handler(http.HandlerFunc(s.keyValue), func(r *http.Request) (tenant, key []byte, ok bool) {
		return nil, []byte(r.URL.Query().Get("key")), true
	}))
	mux.HandleFunc("POST /handover", s.handover)
	mux.HandleFunc("POST /receive", s.receive)
	s.carryHandlers(mux)
	return mux
}

// keyValue answers GET and PUT of a key that is this shard's while it runs: the Guard sees to that.
func (s *shard) keyValue(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("key")
	value := ""
	if r.Method == http.MethodPut {
		b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxValue))
		if err != nil {
			http.Error(w, "the value is too long", http.StatusRequestEntityTooLarge)
			return
		}
		value = string(b)
	}
	s.mu.Lock()
	vshard := s.guard.Table().VShard(nil, []byte(key))
	here := s.hasArrived(vshard)
	have, found := s.data[key]
	if put := (row{value, rowVersion(r, have)}); here && r.Method == http.MethodPut && s.keep(key, put) {
		s.wrote(vshard, key, put)
	}
	s.mu.Unlock()
	switch {
	case !here:
		client.Refuse(w, client.ErrNotReady)
	case r.Method == http.MethodPut:
		w.WriteHeader(http.StatusNoContent)
	case !found:
		http.NotFound(w, r)
	default:
		_, _ = io.WriteString(w, have.Value) // who asked has gone
	}
}

// hasArrived says whether the data of a virtual shard is here: it came, or the base map gives it to this shard. The caller holds mu.
func (s *shard) hasArrived(v routing.VShard) bool {
	if arrived, moved := s.arrived[v]; moved {
		return arrived
	}
	d := s.guard.Table().Document()
	return d.Shards[int(v)%d.Placement.Shards].Name == s.guard.Shard() // the base map is mod N
}

// handover gives all that a virtual shard has, once nothing here can change it any more. It may be asked again.
func (s *shard) handover(w http.ResponseWriter, r *http.Request) {
	v, ok := s.settle(w, r, false)
	if !ok {
		return
	}
	table := s.guard.Table()
	out := map[string]row{}
	s.mu.Lock()
	_, moved := s.arrived[v]
	here := moved || s.hasArrived(v) // what was handed over is kept, as it was
	if here {
		for key, value := range s.data {
			if table.VShard(nil, []byte(key)) == v {
				out[key] = value
			}
		}
		s.arrived[v] = false
	}
	s.mu.Unlock()
	if !here {
		client.Refuse(w, client.ErrNotReady)
		return
	}
	reply(w, out)
}

// receive takes what handover gave, once: what is written here afterwards is newer.
func (s *shard) receive(w http.ResponseWriter, r *http.Request) {
	v, ok := s.settle(w, r, true)
	if !ok {
		return
	}
	var in map[string]row
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxHandover)).Decode(&in); err != nil {
		http.Error(w, "want a JSON object", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.hasArrived(v) {
		table := s.guard.Table()
		maps.DeleteFunc(s.data, func(key string, _ row) bool { return table.VShard(nil, []byte(key)) == v })
		maps.Copy(s.data, in)
		s.arrived[v] = true
	}
	w.WriteHeader(http.StatusNoContent)
}

// settle waits until this shard serves by the version of the move, and nothing by an older one. mine is whose the virtual shard must be.
func (s *shard) settle(w http.ResponseWriter, r *http.Request, mine bool) (routing.VShard, bool) {
	v, err := strconv.ParseInt(r.URL.Query().Get("vshard"), 10, 32)
	version, err2 := strconv.ParseUint(r.URL.Query().Get("version"), 10, 64)
	if err != nil || err2 != nil {
		http.Error(w, "want vshard and version", http.StatusBadRequest)
		return 0, false
	}
	if err := s.guard.Settled(r.Context(), version); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return 0, false
	}
	table := s.guard.Table()
	owner := table.Owner(routing.VShard(v))
	if owner == routing.NoShard || (table.Document().Shards[owner].Name == s.guard.Shard()) != mine {
		http.Error(w, "the routing document says otherwise", http.StatusConflict)
		return 0, false
	}
	return routing.VShard(v), true
}

// transfer carries a moved virtual shard's data from the old shard to the new one.
func transfer(ctx context.Context, p placed) error {
	query := "?vshard=" + strconv.Itoa(int(p.VShard)) + "&version=" + strconv.FormatUint(p.Version, 10)
	data, err := call(ctx, http.MethodPost, p.From+"/handover"+query, nil)
	if err != nil {
		return err
	}
	_, err = call(ctx, http.MethodPost, p.To+"/receive"+query, data)
	return err
}
