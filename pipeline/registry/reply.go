package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// What a registry may say of an id besides a schema.
var (
	// ErrNone says that the registry has no schema of that id.
	ErrNone = errors.New("the registry has none of this id")
	// ErrUnusable says that it has one that cannot be used.
	ErrUnusable = errors.New("the schema cannot be used")
)

// noneOf is what the codes of errors about what is not there begin with: 40401 subject, 40402 version, 40403 schema.
const noneOf = 404

// parseReply reads the answer to GET /schemas/ids/{id}. Of errors it shows the numbers only: a text may repeat what was sent.
//
// The form is that of https://docs.confluent.io/platform/current/schema-registry/develop/api.html#get--schemas-ids-int-%20id.
// A 404 without the code that belongs to it comes from something else than a registry, or from a wrong path.
func parseReply(status int, body []byte) (Schema, error) {
	if len(body) > maxReply {
		if status == http.StatusOK {
			return Schema{}, fmt.Errorf("%w: it has more than %d bytes", ErrUnusable, maxReply)
		}
		body = nil
	}
	if status != http.StatusOK {
		return Schema{}, refusal(status, body)
	}
	var answer struct {
		Schema     *string           `json:"schema"`
		Kind       string            `json:"schemaType"` // nothing = AVRO
		References []json.RawMessage `json:"references"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Schema == nil {
		return Schema{}, errors.New("the answer holds no schema: is the address that of a registry?")
	}
	if len(answer.References) > 0 {
		return Schema{}, fmt.Errorf("%w: it refers to others, which are not read", ErrUnusable)
	}
	if answer.Kind == "" {
		answer.Kind = "AVRO"
	}
	return Schema{answer.Kind, *answer.Schema}, nil
}

// refusal reads an answer that is no schema.
func refusal(status int, body []byte) error {
	var answer struct {
		Code int `json:"error_code"`
	}
	known := json.Unmarshal(body, &answer) == nil && answer.Code != 0
	switch {
	case status == http.StatusNotFound && known && answer.Code/100 == noneOf:
		return ErrNone
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &Status{Code: status, says: "it does not let us in"}
	case status == http.StatusNotFound:
		return &Status{Code: status, says: "there is no registry at this path"}
	case status >= 300 && status < 400:
		return &Status{Code: status, says: "a redirect elsewhere, which is not followed"}
	case known && answer.Code != status:
		return &Status{Code: status, says: fmt.Sprintf("error_code %d", answer.Code)}
	}
	return &Status{Code: status}
}

// Status is an answer that says nothing of the schema.
type Status struct {
	Code int // of HTTP
	says string
}

// Error says which.
func (s *Status) Error() string {
	if s.says == "" {
		return fmt.Sprintf("status %d", s.Code)
	}
	return fmt.Sprintf("status %d: %s", s.Code, s.says)
}
