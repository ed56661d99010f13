package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"firebreak/actuator/steward"
	"firebreak/routing/control"
)

// askFlags are those of commands by which a person asks who decides for something.
type askFlags struct {
	routeFlags

	reason, by string
	direct     bool
}

func (f *askFlags) define(cmd *cobra.Command) {
	f.routeFlags.define(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.reason, "reason", "", "why, for who reads the history")
	flags.StringVar(&f.by, "by", "", "who asks (default: $USER)")
	flags.BoolVar(&f.direct, "direct", false, "write to the store itself, where no instance lives that decides")
}

// sign fills in who asks, why and when.
func (f *askFlags) sign(r *control.Request) error {
	if strings.TrimSpace(f.reason) == "" {
		return errors.New("--reason: want why: the history says it")
	}
	if f.by == "" {
		f.by = os.Getenv("USER")
	}
	if f.by == "" {
		return errors.New("--by: want who asks ($USER is not set)")
	}
	r.ID, r.By, r.At, r.Reason = rand.Text(), f.by, time.Now(), f.reason
	return nil
}

// send has a request carried out, by who decides or directly, and gives the version that did. A refusal is an error.
func (f *askFlags) send(ctx context.Context, at *routed, r *control.Request) (version uint64, err error) {
	ask := steward.Ask
	if f.direct {
		ask = steward.Direct
	}
	answer, err := ask(ctx, at.store, r)
	if err != nil {
		return 0, err
	}
	if answer.Refused != "" {
		return 0, fmt.Errorf("refused: %s", printable(answer.Refused))
	}
	return answer.Version, nil
}
