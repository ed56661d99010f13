package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// mechanism makes the cluster's way to sign in; nil = none. Secrets in files are tried here once and read for each connection.
func (c *Cluster) mechanism() (sasl.Mechanism, error) {
	s := &c.SASL
	switch s.Mechanism {
	case MechanismNone:
		return nil, nil //nolint:nilnil // none is no error
	case Plain, ScramSHA256, ScramSHA512:
		return s.withPassword()
	case OAuthBearer:
		return s.withToken()
	case AWSMSKIAM:
		if c.AWS == nil {
			return nil, errNoAWS
		}
		return &mskIAM{region: s.Region, credentials: c.AWS}, nil
	}
	return nil, fmt.Errorf("%v is not known", s.Mechanism)
}

// errNoAWS says that nothing supplies credentials of AWS.
var errNoAWS = errors.New("aws-msk-iam: no source of AWS credentials")

func (s *SASL) withPassword() (sasl.Mechanism, error) {
	password := func() (string, error) { return s.Password.Read(s.PasswordFile) }
	if _, err := password(); err != nil {
		return nil, fmt.Errorf("password_file: %w", err)
	}
	if s.Mechanism == Plain {
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			pass, err := password()
			return plain.Auth{User: s.User, Pass: pass}, err
		}), nil
	}
	auth := func(context.Context) (scram.Auth, error) {
		pass, err := password()
		return scram.Auth{User: s.User, Pass: pass}, err
	}
	if s.Mechanism == ScramSHA256 {
		return scram.Sha256(auth), nil
	}
	return scram.Sha512(auth), nil
}

func (s *SASL) withToken() (sasl.Mechanism, error) {
	token := func(context.Context) (string, error) { return s.Token.Read(s.TokenFile) }
	if s.TokenURL != "" {
		if _, err := s.ClientSecret.Read(s.ClientSecretFile); err != nil {
			return nil, fmt.Errorf("client_secret_file: %w", err)
		}
		token = newTokenSource(s).token
	} else if _, err := s.Token.Read(s.TokenFile); err != nil {
		return nil, fmt.Errorf("token_file: %w", err)
	}
	return oauth.Oauth(func(ctx context.Context) (oauth.Auth, error) {
		text, err := token(ctx)
		return oauth.Auth{Token: text, Extensions: s.Extensions}, err
	}), nil
}
