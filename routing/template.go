package routing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

type partKind uint8

const (
	partLiteral partKind = iota
	partKey
	partTenant
	// partTenantLength is the tenant's length, 4 bytes big-endian.
	partTenantLength
)

// part is one piece of the bytes that are hashed.
type part struct {
	kind    partKind
	literal string
}

const maxTemplateParts = 16

// parseTemplate reads Placement.Bytes. The result names the key or the tenant at least once.
func parseTemplate(s string) ([]part, error) {
	switch s {
	case "":
		return nil, errors.New(`"" names neither key nor tenant`)
	case "key":
		return []part{{kind: partKey}}, nil
	case "tenant":
		return []part{{kind: partTenant}}, nil
	case "tenant,key":
		return []part{{kind: partTenantLength}, {kind: partTenant}, {kind: partKey}}, nil
	}
	parts, err := splitTemplate(s)
	if err != nil {
		return nil, err
	}
	if len(parts) > maxTemplateParts {
		return nil, fmt.Errorf("%q has %d parts, at most %d", s, len(parts), maxTemplateParts)
	}
	for _, p := range parts {
		if p.kind != partLiteral {
			return parts, nil
		}
	}
	return nil, fmt.Errorf("%q names neither {key} nor {tenant}", s)
}

func splitTemplate(s string) ([]part, error) {
	var parts []part
	var literal strings.Builder
	flush := func() {
		if literal.Len() > 0 {
			parts = append(parts, part{literal: literal.String()})
			literal.Reset()
		}
	}
	for i := 0; i < len(s); {
		rest := s[i:]
		switch {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			literal.WriteByte(rest[0])
			i += 2
		case strings.HasPrefix(rest, "{key}"):
			flush()
			parts = append(parts, part{kind: partKey})
			i += len("{key}")
		case strings.HasPrefix(rest, "{tenant}"):
			flush()
			parts = append(parts, part{kind: partTenant})
			i += len("{tenant}")
		case rest[0] == '{', rest[0] == '}':
			return nil, fmt.Errorf("%q has a brace at byte %d that is neither {key}, {tenant}, {{ nor }}", s, i)
		default:
			literal.WriteByte(rest[0])
			i++
		}
	}
	flush()
	return parts, nil
}

func hasPart(template string, kind partKind) bool {
	parts, err := parseTemplate(template)
	if err != nil {
		return false
	}
	for _, p := range parts {
		if p.kind == kind {
			return true
		}
	}
	return false
}

// appendParts appends the placement bytes of (tenant, key) to dst.
func appendParts(dst []byte, parts []part, tenant, key []byte) []byte {
	for i := range parts {
		switch parts[i].kind {
		case partLiteral:
			dst = append(dst, parts[i].literal...)
		case partKey:
			dst = append(dst, key...)
		case partTenant:
			dst = append(dst, tenant...)
		case partTenantLength:
			dst = binary.BigEndian.AppendUint32(dst, uint32(len(tenant)))
		}
	}
	return dst
}
