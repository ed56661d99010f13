package kafka

import (
	"fmt"
	"net/url"
	"strings"
)

// Mechanism is a way to sign in. The zero value is none.
type Mechanism uint8

// The ways to sign in.
const (
	MechanismNone Mechanism = iota
	Plain
	ScramSHA256
	ScramSHA512
	OAuthBearer
	AWSMSKIAM
)

// String is the name of the mechanism as the configuration spells it.
func (m Mechanism) String() string {
	switch m {
	case MechanismNone:
		return "none"
	case Plain:
		return "plain"
	case ScramSHA256:
		return "scram-sha-256"
	case ScramSHA512:
		return "scram-sha-512"
	case OAuthBearer:
		return "oauthbearer"
	case AWSMSKIAM:
		return "aws-msk-iam"
	}
	return fmt.Sprintf("mechanism(%d)", uint8(m))
}

// mechanisms lists them all.
func mechanisms() []Mechanism {
	return []Mechanism{MechanismNone, Plain, ScramSHA256, ScramSHA512, OAuthBearer, AWSMSKIAM}
}

// MarshalText is String; unknown numbers are an error.
func (m Mechanism) MarshalText() ([]byte, error) {
	if m > AWSMSKIAM {
		return nil, fmt.Errorf("mechanism %d is none of the known ones", uint8(m))
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads what String writes, and Kafka's own spelling: SCRAM-SHA-512, AWS_MSK_IAM.
func (m *Mechanism) UnmarshalText(text []byte) error {
	word := strings.ReplaceAll(strings.ToLower(string(text)), "_", "-")
	for _, known := range mechanisms() {
		if known.String() == word {
			*m = known
			return nil
		}
	}
	return fmt.Errorf("mechanism %q: want none, plain, scram-sha-256, scram-sha-512, oauthbearer or aws-msk-iam", text)
}

// Errors about secrets stand at other fields: those of a secret's own are not shown.

// validate notes what cannot be meant: what a mechanism needs and is not there, and what it does not use.
func (s *SASL) validate(p *problems) {
	password := s.Password != "" || s.PasswordFile != ""
	p.agree(s.Password == "" || s.PasswordFile == "", "sasl.password_file", []string{"sasl.password"}, "excludes password")
	p.agree(s.ClientSecret == "" || s.ClientSecretFile == "", "sasl.client_secret_file", []string{"sasl.client_secret"}, "excludes client_secret")
	switch s.Mechanism {
	case Plain, ScramSHA256, ScramSHA512:
		p.want(s.User != "", "sasl.user", "%v needs it", s.Mechanism)
		p.agree(password, "sasl.mechanism", []string{"sasl.password", "sasl.password_file"}, s.Mechanism.String()+" needs password, or password_file")
	case OAuthBearer:
		s.validateToken(p)
	case MechanismNone, AWSMSKIAM:
	}
	p.want(s.User == "" && !password || s.usesPassword(), "sasl.mechanism", "%v uses no user and password", s.Mechanism)
	given := s.Token != "" || s.TokenFile != "" || s.TokenURL != "" || s.ClientID != "" || len(s.Extensions) > 0
	p.want(!given || s.Mechanism == OAuthBearer, "sasl.mechanism", "%v uses no token", s.Mechanism)
	p.want(s.Region == "" || s.Mechanism == AWSMSKIAM, "sasl.region", "%v uses none", s.Mechanism)
}

func (s *SASL) usesPassword() bool {
	return s.Mechanism == Plain || s.Mechanism == ScramSHA256 || s.Mechanism == ScramSHA512
}

// validateToken notes what is wrong with the source of the token.
func (s *SASL) validateToken(p *problems) {
	sources := 0
	for _, given := range []bool{s.Token != "", s.TokenFile != "", s.TokenURL != ""} {
		if given {
			sources++
		}
	}
	p.agree(sources == 1, "sasl.mechanism", []string{"sasl.token", "sasl.token_file", "sasl.token_url"}, "oauthbearer wants one of token, token_file and token_url")
	if s.TokenURL == "" {
		return
	}
	p.want(tokenURL(s.TokenURL), "sasl.token_url", "want https://host/path; http only on this machine")
	p.want(s.ClientID != "", "sasl.client_id", "token_url needs it")
	p.agree(s.ClientSecret != "" || s.ClientSecretFile != "", "sasl.token_url", []string{"sasl.client_secret", "sasl.client_secret_file"}, "needs client_secret beside it, or client_secret_file")
}

// tokenURL says whether client secrets may be sent to an address.
func tokenURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	host := u.Hostname()
	return u.Scheme == "https" || u.Scheme == "http" && (host == "localhost" || host == "127.0.0.1" || host == "::1")
}
