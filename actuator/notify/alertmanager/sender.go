package alertmanager

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
)

// Sender is the Sender of the instances of one Alertmanager, and says again what stands there.
type Sender struct {
	cfg    notify.Alertmanager
	guide  *notify.Guide
	client *http.Client
	now    func() time.Time

	// posting orders what is posted: what fires is not said again behind its end. It is held while a request runs.
	posting sync.Mutex
	// mu guards standing, which the follower of the journal, Send and Repeat share for moments.
	mu       sync.Mutex
	standing *notify.Standing
}

// New makes the Sender of the receiver of a name. transport carries the requests, see notify.NewClient.
func New(receiver string, cfg notify.Alertmanager, guide *notify.Guide, transport http.RoundTripper) *Sender {
	cfg.Timeout = cmp.Or(cfg.Timeout, notify.DefaultTimeout)
	cfg.Keep = cmp.Or(cfg.Keep, notify.DefaultKeep)
	return &Sender{cfg: cfg, guide: guide, client: notify.NewClient(transport), now: time.Now, standing: notify.NewStanding(receiver)}
}

// Send posts the alert of a notice to every instance: they share what was notified, not what fires. It is taken when one of them
// took it; the others hear of it when it is said again. The receipt is the labels that may change.
func (s *Sender) Send(ctx context.Context, n *notify.Notice) (string, error) {
	s.posting.Lock()
	defer s.posting.Unlock()
	m := s.guide.Message(n)
	if m.Step != notify.NoStep && m.State != notify.Firing { // no alert stands to which it could be added
		return n.Receipt, nil
	}
	alerts, receipt := newAlerts(m, moment{at: n.At(), now: s.now(), keep: s.cfg.Keep}, n.Receipt)
	taken := false
	var failed error
	for _, base := range s.cfg.URLs {
		if err := s.post(ctx, base, alerts); err != nil {
			failed = graver(failed, err)
			continue
		}
		taken = true
	}
	if !taken {
		return "", failed
	}
	if n.Entry != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.standing.Told(n.Entry.ID, receipt)
	}
	return receipt, nil
}

// Apply takes an entry of the journal, whoever wrote it.
func (s *Sender) Apply(e *actuator.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.standing.Apply(e)
}

// post sends alerts to one instance. The error is a *notify.Failure.
func (s *Sender) post(ctx context.Context, base string, alerts []alert) error {
	token, err := s.cfg.Token.Read(s.cfg.TokenFile)
	if err != nil {
		return &notify.Failure{Why: "token: " + err.Error()}
	}
	body, err := json.Marshal(alerts)
	if err != nil {
		return &notify.Failure{Final: true, Why: fmt.Sprintf("the alert cannot be written: %T", err)}
	}
	target, err := url.Parse(strings.TrimRight(base, "/") + "/api/v2/alerts")
	if err != nil {
		return &notify.Failure{Final: true, Why: "urls: want absolute http or https URLs"}
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	_, err = notify.Post(ctx, s.client, target, body, s.cfg.Timeout, header)
	return err
}

// graver is the error that counts of two instances: one that may pass by itself.
func graver(a, b error) error {
	if f, ok := a.(*notify.Failure); ok && !f.Final { //nolint:errorlint // Post returns a Failure itself
		return a
	}
	return b
}
