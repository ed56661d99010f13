package routing

import (
	"testing"

	"pgregory.net/rapid"
)

// TestRoute: what is found at once is what the look-ups one by one give, whatever the document, also where the Route was another key's.
func TestRoute(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drawDocument(rt)
		table := mustTable(t, d)
		tenants, keys := [][]byte{nil, hostile(0, 3).Draw(rt, "tenant")}, [][]byte{hostile(0, 3).Draw(rt, "key")}
		for i := range d.Salts {
			tenants, keys = append(tenants, []byte(d.Salts[i].Tenant)), append(keys, []byte(d.Salts[i].Key))
		}
		for _, p := range d.Tenants {
			tenants = append(tenants, []byte(p.Tenant))
		}
		var r Route
		for _, tenant := range tenants {
			for _, key := range keys {
				table.Route(&r, tenant, key)
				if at := table.Locate(tenant, key); r.Location != at {
					rt.Fatalf("%q of %q: %+v, Locate says %+v", key, tenant, r.Location, at)
				}
				want, salted := table.Salt(tenant, key)
				if got, ok := r.Salt(); got != want || ok != salted {
					rt.Fatalf("%q of %q: salt %v, want %v", key, tenant, got, want)
				}
				pieces := table.Pieces(tenant, key, nil)
				for i := range pieces {
					if p, ok := r.Piece(i); ok != salted || ok && p != pieces[i] {
						rt.Fatalf("%q of %q: piece %d is %+v %t, want %+v", key, tenant, i, p, ok, pieces[i])
					}
				}
				if _, ok := r.Piece(len(pieces)); ok {
					rt.Fatalf("%q of %q: a piece behind the last", key, tenant)
				}
			}
		}
	})
}
