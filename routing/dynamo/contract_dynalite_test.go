//go:build dynalite

package dynamo

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing/control/contract"
)

// TestContractDynalite runs the contract against dynalite, whose URL is in DYNALITE, over sockets and in real time. A fake before it makes
// the faults.
func TestContractDynalite(t *testing.T) {
	endpoint := os.Getenv("DYNALITE")
	if endpoint == "" {
		t.Fatal("DYNALITE: want the URL of dynalite; .ci/dynamo starts it")
	}
	tables := 0
	contract.Run(t, func(t *testing.T) contract.Rig {
		tables++
		name := fmt.Sprintf("contract-%d-%d", os.Getpid(), tables)
		s := fake.Before(time.Now, http.DefaultTransport)
		c := api(s, endpoint)
		made, err := Create(t.Context(), c, name)
		if err != nil || !made.Created || made.Backups == nil { // dynalite has no backups, which is tolerated
			t.Fatalf("create: %+v, %v", made, err)
		}
		return rig(s, c, name)
	})
}
