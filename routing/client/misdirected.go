package client

import (
	"net/http"
	"net/url"
	"strconv"

	"firebreak/routing/control"
)

// The headers by which shards and clients tell each other where they stand. The shard's name is escaped as in a URL's path.
const (
	HeaderShard   = "Firebreak-Shard"
	HeaderEpoch   = "Firebreak-Epoch"
	HeaderVersion = "Firebreak-Version"
	// HeaderOp is read or write, and HeaderHolds the version of the document that who asks holds.
	HeaderOp    = "Firebreak-Op"
	HeaderHolds = "Firebreak-Holds"
	// HeaderNotReady is set in the 503 of a shard that cannot say yet whether it has a key.
	HeaderNotReady = "Firebreak-Not-Ready"
	// HeaderFenced is set in the 503 of a shard that has a key and may not serve it now.
	HeaderFenced = "Firebreak-Fenced"
)

// maxHeader bounds a shard's name in a header: 255 bytes, all of them escaped.
const maxHeader = 3 * maxName

// Handler lets a request in to next while the key that keyOf finds in it is this shard's, and counts it as under way until next returns.
// Otherwise it answers 421 Misdirected Request with headers that name the shard and the version, or 503 while the Guard has no document,
// and while nobody may serve the key. A request that keyOf finds no key in is not judged. A request that names a later version than the
// Guard's makes the Guard ask for it.
func (g *Guard) Handler(next http.Handler, keyOf func(r *http.Request) (tenant, key []byte, ok bool)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant, key, ok := keyOf(r)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		if told, err := headerHead(r.Header); err == nil {
			if v := g.held.Load(); v != nil && told.Newer(headOf(v.doc)) {
				g.hear(told)
				wake(g.urgent)
			}
		}
		pass, err := g.enter(asks(r), tenant, key)
		if err != nil {
			Refuse(w, err)
			return
		}
		defer pass.Leave()
		next.ServeHTTP(w, r)
	})
}

// Refuse answers a request that a shard does not take: err is of Enter, ErrFenced or ErrNotReady.
func Refuse(w http.ResponseWriter, err error) {
	moved, ok := err.(*Moved) //nolint:errorlint // Enter gives it as it is
	if !ok {
		header := HeaderNotReady
		if err == ErrFenced { //nolint:errorlint // the same
			header = HeaderFenced
		}
		w.Header().Set(header, "1")
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set(HeaderShard, url.PathEscape(moved.Shard))
	w.Header().Set(HeaderEpoch, strconv.FormatUint(moved.Epoch, 10))
	w.Header().Set(HeaderVersion, strconv.FormatUint(moved.Version, 10))
	http.Error(w, moved.Error(), http.StatusMisdirectedRequest)
}

// SetVersion tells a shard by which document a request was sent to it, so that a Guard that is behind looks at the source.
func SetVersion(h http.Header, t *Target) {
	h.Set(HeaderEpoch, strconv.FormatUint(t.Epoch, 10))
	h.Set(HeaderVersion, strconv.FormatUint(t.Version, 10))
	h.Set(HeaderOp, t.Op.String())
	h.Set(HeaderHolds, strconv.FormatUint(t.Holds, 10))
}

// asks is what a request says of itself. One that does not say whether it writes is judged by its method.
func asks(r *http.Request) asking {
	a := asking{write: r.Method != http.MethodGet && r.Method != http.MethodHead}
	if op := r.Header.Get(HeaderOp); op != "" {
		a.write = op != Read.String()
	}
	a.holds, _ = strconv.ParseUint(r.Header.Get(HeaderHolds), 10, 64) // who does not say holds none
	return a
}

// Refusal is what a shard's answer says to the callee of Do and Gather: *Moved, ErrFenced, ErrNotReady, or nil where the shard took the request.
func Refusal(status int, h http.Header) error {
	switch {
	case status == http.StatusServiceUnavailable && h.Get(HeaderFenced) != "":
		return ErrFenced
	case status == http.StatusServiceUnavailable && h.Get(HeaderNotReady) != "":
		return ErrNotReady
	case status != http.StatusMisdirectedRequest:
		return nil
	}
	told, err := headerHead(h)
	if err != nil {
		return ErrNotReady // a 421 by something else than a Guard: the request was not taken
	}
	name := h.Get(HeaderShard)
	shard, err := url.PathUnescape(name)
	if err != nil || len(name) > maxHeader {
		return ErrNotReady
	}
	return &Moved{Shard: shard, Epoch: told.Epoch, Version: told.Version}
}

func headerHead(h http.Header) (control.Head, error) {
	epoch, err := strconv.ParseUint(h.Get(HeaderEpoch), 10, 64)
	if err != nil {
		return control.Head{}, err
	}
	version, err := strconv.ParseUint(h.Get(HeaderVersion), 10, 64)
	return control.Head{Epoch: epoch, Version: version}, err
}
