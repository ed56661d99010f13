package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Header names of a webhook request.
const (
	SignatureHeader = "X-Firebreak-Signature"
	IDHeader        = "X-Firebreak-Id"
	AttemptHeader   = "X-Firebreak-Attempt"
)

// Tolerance is how far a receiver's clock and ours may be apart before it should refuse a request as replayed.
const Tolerance = 5 * time.Minute

// Sign is the signature header of a body sent at a time: "t=UNIX,v1=HEX", with HEX the HMAC-SHA256 of UNIX, a dot and the body.
func Sign(secret string, body []byte, at time.Time) string {
	t := strconv.FormatInt(at.Unix(), 10)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac(secret, t, body))
}

func mac(secret, t string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(t))
	h.Write([]byte("."))
	h.Write(body)
	return h.Sum(nil)
}

// ErrSignature is a request that was not signed with the secret, or is too old, or was changed on the way.
var ErrSignature = errors.New("webhook: the signature does not fit")

// Verify checks the signature header of a body that arrived now, as a receiver does. Several v1 may stand in it while a secret
// is being changed: one is enough. The error is ErrSignature.
func Verify(secret, header string, body []byte, now time.Time) error {
	var t string
	var sums []string
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			t = value
		case "v1":
			sums = append(sums, value)
		}
	}
	unix, err := strconv.ParseInt(t, 10, 64)
	if err != nil || now.Sub(time.Unix(unix, 0)).Abs() > Tolerance {
		return ErrSignature
	}
	want := mac(secret, t, body)
	for _, s := range sums {
		if got, err := hex.DecodeString(s); err == nil && hmac.Equal(want, got) {
			return nil
		}
	}
	return ErrSignature
}
