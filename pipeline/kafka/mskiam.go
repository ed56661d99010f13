package kafka

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
)

// AWSCredentials returns credentials of AWS that are valid now; session is empty where they are permanent.
type AWSCredentials func(ctx context.Context) (access, secret, session string, err error)

// mskIAM signs in as aws-msk-iam-auth does: a request "kafka-cluster:Connect" to the broker's host, signed by Signature
// Version 4 in its query, as JSON. franz-go's own takes the region from the broker's name only, which a private name lacks.
type mskIAM struct {
	region      string // empty = from the broker's name, then the environment
	credentials AWSCredentials
}

// awsService is the service that requests are signed for.
const awsService = "kafka-cluster"

// Name is that of the mechanism on the wire.
func (m *mskIAM) Name() string { return "AWS_MSK_IAM" }

// Authenticate makes the first and only message to the broker at host, host:port.
func (m *mskIAM) Authenticate(ctx context.Context, host string) (sasl.Session, []byte, error) {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		return nil, nil, err
	}
	region := m.regionOf(name)
	if region == "" {
		return nil, nil, fmt.Errorf("aws-msk-iam: the name of broker %s tells no region: set sasl.region", name)
	}
	access, secret, session, err := m.credentials(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("aws-msk-iam: credentials: %w", err)
	}
	message, err := signedConnect(name, region, access, secret, session, time.Now().UTC())
	return mskSession{}, message, err
}

// regionOf is the region of a broker: b-1.name.abc.c2.kafka.eu-west-1.amazonaws.com is in eu-west-1.
func (m *mskIAM) regionOf(host string) string {
	if m.region != "" {
		return m.region
	}
	labels := strings.Split(host, ".")
	for i, label := range labels {
		if (label == "kafka" || label == "kafka-serverless") && i+2 < len(labels) && labels[i+2] == "amazonaws" {
			return labels[i+1]
		}
	}
	if region := os.Getenv("AWS_REGION"); region != "" {
		return region
	}
	return os.Getenv("AWS_DEFAULT_REGION")
}

// mskSession takes the broker's answer, which is not empty where it agreed.
type mskSession struct{}

// Challenge ends the exchange.
func (mskSession) Challenge(answer []byte) (done bool, reply []byte, err error) {
	if len(answer) == 0 {
		return false, nil, errors.New("aws-msk-iam: empty answer")
	}
	return true, nil, nil
}

// signedConnect is the message for a host at a time.
func signedConnect(host, region, access, secret, session string, now time.Time) ([]byte, error) {
	stamp := now.Format("20060102T150405Z")
	scope := stamp[:8] + "/" + region + "/" + awsService + "/aws4_request"
	query := url.Values{
		"Action":              {awsService + ":Connect"},
		"X-Amz-Algorithm":     {"AWS4-HMAC-SHA256"},
		"X-Amz-Credential":    {access + "/" + scope},
		"X-Amz-Date":          {stamp},
		"X-Amz-Expires":       {"900"},
		"X-Amz-SignedHeaders": {"host"},
	}
	if session != "" {
		query.Set("X-Amz-Security-Token", session)
	}
	canonical := "GET\n/\n" + strings.ReplaceAll(query.Encode(), "+", "%20") + "\nhost:" + host + "\n\nhost\n" + hexSum("")
	key := []byte("AWS4" + secret)
	for _, part := range []string{stamp[:8], region, awsService, "aws4_request"} {
		key = mac(key, part)
	}
	query.Set("X-Amz-Signature", hex.EncodeToString(mac(key, "AWS4-HMAC-SHA256\n"+stamp+"\n"+scope+"\n"+hexSum(canonical))))
	message := map[string]string{"version": "2020_10_22", "host": host, "user-agent": "firebreak"}
	for name, values := range query {
		message[strings.ToLower(name)] = values[0]
	}
	return json.Marshal(message)
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
