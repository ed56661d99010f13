package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/aws"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// signIn lets a client sign in to a broker that takes any mechanism, and returns what it sent: its mechanism and first bytes.
func signIn(t *testing.T, c Cluster) (mechanism, sent string) {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	var mu sync.Mutex
	cluster.ControlKey(int16(kmsg.SASLHandshake), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		mu.Lock()
		defer mu.Unlock()
		mechanism = req.(*kmsg.SASLHandshakeRequest).Mechanism
		return req.ResponseKind(), nil, true
	})
	cluster.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		mu.Lock()
		defer mu.Unlock()
		sent = string(req.(*kmsg.SASLAuthenticateRequest).SASLAuthBytes)
		resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		if mechanism == "AWS_MSK_IAM" {
			resp.SASLAuthBytes = []byte(`{"version":"2020_10_22"}`)
		}
		return resp, nil, true
	})
	c.Brokers = cluster.ListenAddrs()
	if err := client(t, c).Ping(bounded(t)); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	return mechanism, sent
}

// TestOAuthBearer: the bytes are those of RFC 7628, from a token, a file and an address that gives one.
func TestOAuthBearer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if r.FormValue("grant_type") != "client_credentials" || user != "id" || password != "secret" || r.FormValue("scope") != "kafka" || r.FormValue("audience") != "a" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"access_token": "from-address", "expires_in": 300, "token_type": "Bearer"}`)
	}))
	defer issuer.Close()
	for name, tt := range map[string]struct {
		sasl SASL
		want string
	}{
		"token":      {SASL{Token: "fixed"}, "n,,\x01auth=Bearer fixed\x01\x01"},
		"extensions": {SASL{Token: "fixed", Extensions: map[string]string{"logicalCluster": "lkc-1"}}, "n,,\x01auth=Bearer fixed\x01logicalCluster=lkc-1\x01\x01"},
		"file":       {SASL{TokenFile: file}, "n,,\x01auth=Bearer from-file\x01\x01"},
		"address": {
			SASL{TokenURL: issuer.URL, ClientID: "id", ClientSecret: "secret", Scope: "kafka", Audience: "a"}, "n,,\x01auth=Bearer from-address\x01\x01",
		},
	} {
		tt.sasl.Mechanism = OAuthBearer
		if mechanism, sent := signIn(t, Cluster{SASL: tt.sasl}); mechanism != "OAUTHBEARER" || sent != tt.want {
			t.Errorf("%s: %s sent %q, want %q", name, mechanism, sent, tt.want)
		}
	}
}

// TestTokensAreKept: one token serves until most of its life is over; a failure is no token.
func TestTokensAreKept(t *testing.T) {
	asked, expires := 0, 3600
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprintf(w, `{"access_token": "%d", "expires_in": %d}`, asked, expires)
	}))
	defer issuer.Close()
	source := newTokenSource(&SASL{TokenURL: issuer.URL, ClientID: "id", ClientSecret: "s"})
	for range 3 {
		if text, err := source.token(t.Context()); text != "1" || err != nil {
			t.Errorf("token %s, %v", text, err)
		}
	}
	if left := time.Until(source.until); left < 47*time.Minute || left > 49*time.Minute {
		t.Errorf("a token of an hour is kept for %v", left)
	}
	source.until = time.Now()
	expires = 5 // less than what is reserved: it serves once
	for _, want := range []string{"2", "3"} {
		if text, err := source.token(t.Context()); text != want || err != nil {
			t.Errorf("token %s, %v; want %s", text, err, want)
		}
	}
}

// TestTokenErrorsHideSecrets: whatever fails, the error names the host and the cause and nothing that was sent.
func TestTokenErrorsHideSecrets(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"refused": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(401)
			fmt.Fprint(w, `{"error": "invalid_client"}`)
		}, "status 401: invalid_client"},
		"echo": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			fmt.Fprint(w, `{"error": "`+r.Header.Get("Authorization")+`hunter2"}`)
		}, "status 400"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "http://hunter2/", http.StatusFound) }, "status 302"},
		"no json":  {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hunter2") }, "no access_token"},
		"no token": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) }, "no access_token"},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	} {
		server := httptest.NewServer(tt.answer)
		_, err := newTokenSource(&SASL{TokenURL: server.URL + "/hunter2", ClientID: "id", ClientSecret: "hunter2"}).token(t.Context())
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
		server.Close()
	}
}

// TestMSKIAM: the message is the one that franz-go signs for the same host and time, and has the configured region.
func TestMSKIAM(t *testing.T) {
	const host = "b-1.name.abc.c2.kafka.eu-west-1.amazonaws.com"
	credentials := func(context.Context) (access, secret, session string, err error) {
		return "AKID", "very/secret+", "session+/=", nil
	}
	_, message, err := (&mskIAM{credentials: credentials}).Authenticate(t.Context(), host+":9098")
	if err != nil {
		t.Fatal(err)
	}
	fields := func(raw []byte) map[string]string {
		var m map[string]string
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		delete(m, "user-agent")
		return m
	}
	got := fields(message)
	at, err := time.Parse("20060102T150405Z", got["x-amz-date"])
	if err != nil || time.Since(at).Abs() > time.Minute {
		t.Fatalf("date %s", got["x-amz-date"])
	}
	_, other, err := aws.Auth{AccessKey: "AKID", SecretKey: "very/secret+", SessionToken: "session+/="}.AsManagedStreamingIAMMechanism().Authenticate(t.Context(), host+":9098")
	if err != nil {
		t.Fatal(err)
	}
	want := fields(other)
	stamp, err := time.Parse("20060102T150405Z", want["x-amz-date"]) // the other one has a clock of its own
	if err != nil {
		t.Fatal(err)
	}
	ours, err := signedConnect(host, "eu-west-1", "AKID", "very/secret+", "session+/=", stamp)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, fields(ours)); diff != "" {
		t.Errorf("message (-franz-go +ours):\n%s", diff)
	}
	if strings.Contains(string(message), "very/secret") {
		t.Error("the message holds the secret key")
	}
	mechanism, sent := signIn(t, Cluster{SASL: SASL{Mechanism: AWSMSKIAM, Region: "us-east-2"}, AWS: credentials})
	if mechanism != "AWS_MSK_IAM" || !strings.Contains(sent, "/us-east-2/kafka-cluster/aws4_request") || !strings.Contains(sent, `"host":"127.0.0.1"`) {
		t.Errorf("%s sent %s", mechanism, sent)
	}
}

func TestMSKIAMFails(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	none := func(context.Context) (access, secret, session string, err error) {
		return "", "", "", errors.New("no profile")
	}
	if _, _, err := (&mskIAM{credentials: none}).Authenticate(t.Context(), "kafka.internal:9098"); err == nil || !strings.Contains(err.Error(), "set sasl.region") {
		t.Errorf("no region: %v", err)
	}
	if _, _, err := (&mskIAM{region: "r", credentials: none}).Authenticate(t.Context(), "h:1"); err == nil || !strings.Contains(err.Error(), "no profile") {
		t.Errorf("no credentials: %v", err)
	}
	t.Setenv("AWS_REGION", "eu-north-1")
	for host, want := range map[string]string{"boot-1.kafka-serverless.us-west-2.amazonaws.com": "us-west-2", "b-1.x.kafka.cn-north-1.amazonaws.com.cn": "cn-north-1", "kafka.internal": "eu-north-1"} {
		if got := (&mskIAM{}).regionOf(host); got != want {
			t.Errorf("region of %s: %s, want %s", host, got, want)
		}
	}
	if _, err := Options(Cluster{Brokers: Brokers{"a:1"}, SASL: SASL{Mechanism: AWSMSKIAM}}); !errors.Is(err, errNoAWS) {
		t.Errorf("without a source: %v", err)
	}
}

// TestOptionsHoldTheAges: every client learns of new partitions within seconds.
func TestOptionsHoldTheAges(t *testing.T) {
	cl := client(t, Cluster{Brokers: Brokers{"a:1"}})
	for opt, want := range map[string]any{"MetadataMinAge": metadataMinAge, "MetadataMaxAge": metadataMaxAge, "ClientID": "firebreak"} {
		got := cl.OptValue(map[string]any{"MetadataMinAge": kgo.MetadataMinAge, "MetadataMaxAge": kgo.MetadataMaxAge, "ClientID": kgo.ClientID}[opt])
		if s, ok := got.(*string); ok {
			got = *s
		}
		if got != want {
			t.Errorf("%s is %v, want %v", opt, got, want)
		}
	}
}

func TestMechanismWords(t *testing.T) {
	for _, m := range mechanisms() {
		text, err := m.MarshalText()
		var back Mechanism
		if err != nil || back.UnmarshalText(text) != nil || back != m {
			t.Errorf("%v: %v, %v", m, back, err)
		}
	}
	for text, want := range map[string]Mechanism{"SCRAM-SHA-256": ScramSHA256, "AWS_MSK_IAM": AWSMSKIAM, "PLAIN": Plain} {
		var m Mechanism
		if err := m.UnmarshalText([]byte(text)); err != nil || m != want {
			t.Errorf("%s: %v, %v", text, m, err)
		}
	}
	if _, err := (AWSMSKIAM + 1).MarshalText(); err == nil {
		t.Error("a number of no mechanism was written")
	}
}

func TestLogger(t *testing.T) {
	core, seen := observer.New(zapcore.InfoLevel)
	l := NewLogger(zap.New(core))
	if l.Level() != kgo.LogLevelInfo {
		t.Errorf("level %v", l.Level())
	}
	l.Log(kgo.LogLevelDebug, "hidden", "a", 1)
	l.Log(kgo.LogLevelWarn, "shown", "broker", 3, "why", errors.New("gone"), "alone")
	want := []observer.LoggedEntry{{Entry: zapcore.Entry{Level: zapcore.WarnLevel, Message: "shown"}}}
	if got := seen.AllUntimed(); len(got) != 1 || got[0].Entry != want[0].Entry {
		t.Errorf("entries %+v", got)
	}
	if diff := cmp.Diff(map[string]any{"broker": int64(3), "why": "gone", "alone": true}, seen.All()[0].ContextMap()); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}
