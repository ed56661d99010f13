package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Limits of a token endpoint.
const (
	tokenTimeout  = 10 * time.Second
	tokenBytes    = 1 << 20
	tokenDefault  = 5 * time.Minute // life of a token of which the endpoint does not say it
	tokenRenewal  = 0.8             // share of its life after which a token is not handed out any more
	tokenReserved = 10 * time.Second
)

// tokenSource gets tokens for client credentials (RFC 6749, section 4.4), and keeps one while it is fresh.
type tokenSource struct {
	sasl   *SASL
	client *http.Client

	mu      sync.Mutex // one request at a time, also for the connections that wait for it
	current string
	until   time.Time
}

func newTokenSource(s *SASL) *tokenSource {
	return &tokenSource{sasl: s, client: &http.Client{
		Timeout:       tokenTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // a secret is not carried elsewhere
	}}
}

// token returns a token that is valid for a while. The error holds neither secret, token nor address, but for the host.
func (t *tokenSource) token(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current != "" && time.Now().Before(t.until) {
		return t.current, nil
	}
	text, life, err := t.fetch(ctx)
	if err != nil {
		return "", fmt.Errorf("token of %s: %w", hostOf(t.sasl.TokenURL), err)
	}
	keep := time.Duration(float64(life) * tokenRenewal)
	t.current, t.until = text, time.Now().Add(max(0, min(keep, life-tokenReserved)))
	return text, nil
}

// fetch asks for a token.
func (t *tokenSource) fetch(ctx context.Context) (text string, life time.Duration, err error) {
	secret, err := t.sasl.ClientSecret.Read(t.sasl.ClientSecretFile)
	if err != nil {
		return "", 0, err
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	if t.sasl.Scope != "" {
		form.Set("scope", t.sasl.Scope)
	}
	if t.sasl.Audience != "" {
		form.Set("audience", t.sasl.Audience)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.sasl.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, errors.New("the address cannot be used")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.SetBasicAuth(url.QueryEscape(t.sasl.ClientID), url.QueryEscape(secret)) // RFC 6749, section 2.3.1
	resp, err := t.client.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // without the address
		}
		return "", 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // read only
	return readToken(resp)
}

// readToken reads the answer of a token endpoint. Of an error it shows the code of RFC 6749, section 5.2, only.
func readToken(resp *http.Response) (text string, life time.Duration, err error) {
	var answer struct {
		Token   string  `json:"access_token"`
		Expires float64 `json:"expires_in"` // s
		Error   string  `json:"error"`
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, tokenBytes))
	if err != nil {
		return "", 0, err
	}
	decodeErr := json.Unmarshal(raw, &answer)
	switch {
	case resp.StatusCode != http.StatusOK && errorCode(answer.Error):
		return "", 0, fmt.Errorf("status %d: %s", resp.StatusCode, answer.Error)
	case resp.StatusCode != http.StatusOK:
		return "", 0, fmt.Errorf("status %d", resp.StatusCode)
	case decodeErr != nil || answer.Token == "":
		return "", 0, errors.New("the answer holds no access_token")
	}
	life = tokenDefault
	if answer.Expires > 0 && answer.Expires < 1e7 {
		life = time.Duration(answer.Expires * float64(time.Second))
	}
	return answer.Token, life, nil
}

// errorCode says whether a text is a code of RFC 6749, such as invalid_client, and so nothing that was sent.
func errorCode(text string) bool {
	switch text {
	case "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope":
		return true
	}
	return false
}

// hostOf is the host of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the token address"
	}
	return u.Hostname()
}
