package slack

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
)

const (
	// relisten is the wait before a connection that Slack refuses for good is tried again: a person may mend its token.
	relisten = 5 * time.Minute
	// maxFrame is the largest message that is read, in bytes: Slack's are some KB.
	maxFrame = 1 << 20
	// askWait bounds what becomes of one word.
	askWait = time.Minute
	// maxAtOnce is how many presses are worked on at once; more wait.
	maxAtOnce = 8
)

// Word is what a person said by a button and a form.
type Word struct {
	ID                  string // the same however often Slack delivers it, to whichever instance
	Fleet, Hotspot      string
	Plan, Do            string // Do is approve, reject or hold
	By, Reason          string
	Channel, User, View string // of Slack
}

// Ask has a word carried out, and gives why it was refused; empty = it was done.
type Ask func(ctx context.Context, w *Word) (refused string, err error)

// Listener hears what people press under messages, by Socket Mode: it opens a connection to Slack, so nothing has to be reached from
// outside. Every instance may run one: Slack hands each press to one of its connections.
//
//	press --acknowledged--> form --sent, acknowledged--> asked --> told who asked, and the journal tells the thread
//
// Who pressed is looked up in People, else by the e-mail address that Slack has of them; nobody else is heard.
type Listener struct {
	cfg    notify.Slack
	people map[string]string
	ask    Ask
	client *http.Client
	log    *zap.Logger

	seen actuator.Recent // envelopes; the goroutine's that reads
}

// NewListener makes one for a receiver with an app-level token. people are names by ids of users of Slack.
func NewListener(cfg notify.Slack, people map[string]string, ask Ask, transport http.RoundTripper, log *zap.Logger) *Listener {
	cfg.Timeout = cmp.Or(cfg.Timeout, notify.DefaultTimeout)
	cfg.APIURL = strings.TrimSuffix(cmp.Or(cfg.APIURL, notify.DefaultSlackAPI), "/") + "/"
	return &Listener{cfg: cfg, people: people, ask: ask, client: notify.NewClient(transport), log: log, seen: actuator.NewRecent()}
}

// api is a client with the tokens as they are now.
func (l *Listener) api() (*slack.Client, error) {
	token, err := l.cfg.Token.Read(l.cfg.TokenFile)
	if err != nil {
		return nil, fmt.Errorf("token: %w", err)
	}
	app, err := l.cfg.AppToken.Read(l.cfg.AppTokenFile)
	if err != nil {
		return nil, fmt.Errorf("app_token: %w", err)
	}
	return slack.New(token, slack.OptionAppLevelToken(app), slack.OptionAPIURL(l.cfg.APIURL), slack.OptionHTTPClient(l.client)), nil
}

// Check says whether Slack takes the app-level token: it asks for an address to connect to, and does not connect.
func (l *Listener) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Timeout)
	defer cancel()
	api, err := l.api()
	if err != nil {
		return err
	}
	_, _, err = api.StartSocketModeContext(ctx)
	return said(err)
}

// Run listens until ctx ends, on one connection after the other.
func (l *Listener) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := l.connection(ctx); err != nil && ctx.Err() == nil {
			l.log.Warn("buttons of Slack are not heard", zap.Error(err), zap.Duration("again", relisten))
			sleep(ctx, relisten)
		}
	}
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// connection listens until Slack refuses the token. The library reconnects by itself: when Slack asks for it, when the connection breaks, and
// when no ping comes for 30 s.
func (l *Listener) connection(ctx context.Context) error {
	api, err := l.api()
	if err != nil {
		return err
	}
	dialer := &websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: l.cfg.Timeout, WriteBufferSize: 32 << 10} // answers must be one frame
	socket := socketmode.New(api, socketmode.OptionLog(quiet{}), socketmode.OptionReadLimit(maxFrame), socketmode.OptionDialer(dialer))
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	var failed error // when it has ended
	go func() {
		defer close(ended)
		failed = socket.RunContext(ctx)
	}()
	defer func() { // nobody reads its events any more
		cancel()
		<-ended
	}()
	work := make(chan struct{}, maxAtOnce)
	defer func() {
		for range maxAtOnce {
			work <- struct{}{} // what is under way ends with ctx
		}
	}()
	defer cancel()
	for {
		select {
		case <-ended:
			return said(failed)
		case e := <-socket.Events:
			l.event(ctx, api, socket, &e, work)
		}
	}
}

// event acknowledges what Slack delivers, at once, and works on what is new of it beside.
func (l *Listener) event(ctx context.Context, api *slack.Client, socket *socketmode.Client, e *socketmode.Event, work chan struct{}) {
	if e.Type == socketmode.EventTypeConnectionError {
		if failed, ok := e.Data.(*slack.ConnectionErrorEvent); ok {
			l.log.Warn("Slack is not reached for its buttons", zap.Error(said(failed.ErrorObj)))
		}
	}
	if e.Request == nil || e.Request.EnvelopeID == "" {
		return
	}
	if err := socket.AckCtx(ctx, e.Request.EnvelopeID, nil); err != nil {
		return // the connection is gone: Slack delivers it again
	}
	id := actuator.NewID("envelope", e.Request.EnvelopeID)
	pressed, ok := e.Data.(slack.InteractionCallback)
	if !ok || l.seen.Has(id) {
		return
	}
	l.seen.Add(id)
	select {
	case work <- struct{}{}:
	case <-ctx.Done():
		return
	}
	go func() {
		defer func() { <-work }()
		ctx, cancel := context.WithTimeout(ctx, askWait)
		defer cancel()
		l.pressed(ctx, api, &pressed)
	}()
}

// said is an error of the library without anything of the request: its text may hold a token.
func said(err error) error {
	if err == nil {
		return nil
	}
	if is := code(err); is != "" {
		return fmt.Errorf("slack: %s", reason(is))
	}
	return fmt.Errorf("slack: %s", notify.Cause(err))
}

// quiet is where the library logs: its lines hold what people wrote.
type quiet struct{}

// Output implements what the library wants of a logger.
func (quiet) Output(int, string) error { return nil }

// People are the names of all receivers whose buttons are heard, by ids of users of Slack: Slack may hand a press to the connection of any
// receiver of the same app.
func People(receivers []notify.Receiver) map[string]string {
	out := map[string]string{}
	for i := range slices.Backward(receivers) {
		if s := receivers[i].Slack; s != nil {
			maps.Copy(out, s.People)
		}
	}
	return out
}
