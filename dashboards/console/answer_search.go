package console

import (
	"errors"
	"fmt"
	"net/http"

	"firebreak/internal/line"
	"firebreak/internal/words"
	"firebreak/routing"
)

// search answers what a key or a tenant has in the window, and where it lies.
func (a *api) search(r *http.Request) (any, error) {
	key, _, err := name(r, "key")
	if err != nil {
		return nil, err
	}
	tenant, _, err := name(r, "tenant")
	if err != nil {
		return nil, err
	}
	if key == "" && tenant == "" {
		return nil, wrong("want key, tenant or both; an empty key is no key")
	}
	a.model.mu.RLock()
	f, err := a.which(r)
	var now *present
	if err == nil {
		now = f.now
	}
	a.model.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	if now == nil {
		return nil, &failure{http.StatusServiceUnavailable, ErrNotNow.Error()}
	}
	if key != "" && tenant == "" && now.table.Document().Placement.IdentifiesTenant() {
		return nil, wrong("a key is told by its tenant and itself here: name both")
	}
	found, err := a.source.Ask(f.Name, []byte(tenant), []byte(key))
	switch {
	case errors.Is(err, ErrNotNow):
		return nil, &failure{http.StatusServiceUnavailable, err.Error()}
	case err != nil:
		return nil, wrong("%v", err)
	}
	out := searchAnswer{
		Fleet: line.Name(f.Name), Key: line.Name(key), Tenant: line.Name(tenant), Estimate: line.Number(found.Estimate), Low: line.Number(found.Low),
		High: line.Number(found.High), Seconds: seconds(now.filled),
	}
	if s := now.filled.Seconds(); s > 0 {
		out.Rate = line.Number(found.Estimate / s)
		if now.whole > 0 {
			all := line.Number(now.whole)
			out.Share = line.Share{Value: min(1, out.Estimate/all), Low: min(1, out.Low/all), High: min(1, out.High/all)}
		}
	}
	out.Shard, out.Where = where(now, tenant, key)
	return out, nil
}

// where says on which shard a key, or a whole tenant, lies.
func where(now *present, tenant, key string) (shard line.Name, text string) {
	table := now.table
	doc := table.Document()
	if doc.Placement.Map == routing.Explicit {
		return "", "The log names the shard of each request; the placement does not tell."
	}
	placed, isPlaced := table.PlacedTenant([]byte(tenant))
	switch {
	case key == "" && isPlaced:
		return "", fmt.Sprintf("The tenant is placed on %s of its own.", words.Count(len(placed), "shard"))
	case key == "" && table.SeparatesKeys():
		return "", "The placement spreads the keys of a tenant over all shards."
	}
	at := table.Locate([]byte(tenant), []byte(key))
	if at.Shard < 0 || int(at.Shard) >= len(doc.Shards) {
		return "", "The placement does not tell."
	}
	text = fmt.Sprintf("On virtual shard %d of %d.", at.VShard, table.VShards())
	if at.Salted {
		text = "It is salted; this is the shard of its bare piece."
	}
	return line.Name(doc.Shards[at.Shard].Name), text
}

// question is what a request asks of what-if.
func question(r *http.Request) *Question {
	q := r.URL.Query()
	return &Question{
		Share: q.Get("share"), Rate: q.Get("rate"), Shards: q.Get("shards"), Reads: q.Get("reads"), Target: q.Get("target"), Capacity: q.Get("capacity"),
		Sample: q.Get("sample"),
	}
}

// whatif answers the arithmetic of one hot key.
func (a *api) whatif(r *http.Request) (any, error) {
	w, err := a.source.Whatif(question(r))
	if err != nil {
		return nil, wrong("%v", err)
	}
	return w.Report, nil
}
