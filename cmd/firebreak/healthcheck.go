package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"firebreak/internal/admin"
)

const (
	// healthTimeout bounds one question: what does not answer is not well.
	healthTimeout = 5 * time.Second
	// maxHealth is how much of an answer is shown, in bytes; docker keeps as much.
	maxHealth = 4 << 10
)

// newHealthcheckCommand builds `firebreak healthcheck`: ask an instance after its health from where there is no other program.
func newHealthcheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "healthcheck [URL]",
		Short: "Ask an instance whether it is ready",
		Long: `Ask a running instance whether it is ready, and say what it answered: for images that hold no other program, such as ours.
URL is that of a page of the admin address, by default /-/ready on this machine; /-/healthy says only whether the process lives.

Exits 1 if the answer is not 200.`,
		Example: `  firebreak healthcheck
  firebreak healthcheck http://127.0.0.1:9464/-/healthy`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked := "http://" + admin.Default().Listen + "/-/ready"
			if len(args) > 0 {
				asked = args[0]
			}
			u, err := url.Parse(asked)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				return usageError{errors.New("URL: want an absolute http or https URL")}
			}
			said, err := askHealth(cmd.Context(), u)
			if err == nil {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), said)
			}
			return err
		},
	}
}

// askHealth gives the answer of a page, on one line, if it is 200. No proxy is asked, and no redirect followed.
func askHealth(ctx context.Context, u *url.URL) (string, error) {
	ctx, stop := context.WithTimeout(ctx, healthTimeout)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return "", oneLine(err)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return "", oneLine(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read only
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxHealth))
	if err != nil {
		return "", oneLine(err)
	}
	said := printable(strings.Join(strings.Fields(string(body)), " "))
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("status %d: %s", resp.StatusCode, said)
	}
	return said, nil
}
