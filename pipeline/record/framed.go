package record

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

// Schemas gives the schemas of a registry. It may do I/O.
type Schemas interface {
	// Schema returns the kind (AVRO, PROTOBUF or JSON) and the text of a schema that has no references to others. An
	// empty kind says that the registry has none of that id; err, that it could not be asked.
	Schema(ctx context.Context, id uint32) (kind, text string, err error)
}

// What a Schemas says that never waits.
var (
	// ErrPending says that the registry is being asked: the message is to be decoded again, later.
	ErrPending = errors.New("the registry has not answered yet")
	// ErrUnasked says that it could not be asked in time, and that the message shall not wait any longer.
	ErrUnasked = errors.New("the registry could not be asked")
)

// framedSplitter splits values in the frame of Confluent's serializers: a byte of 0, four bytes of a schema's id, highest
// first, and what that schema's kind writes. Nothing but the wanted fields is read; the others are skipped by the schema
// of the writer. Members that a schema does not have are absent.
type framedSplitter struct {
	paths  paths
	known  map[uint32]program // nil = a schema that cannot be used
	last   program            // of lastID, if it is known
	lastID uint32
	wants  bool // the last value's schema, wanted, is not known
	wanted uint32
	finds  finds
}

// program reads the values of one schema.
type program interface {
	run(b []byte, out *finds) Reason
}

const (
	frameSize = 5
	// maxSchemas bounds the schemas that are kept; a topic has a few.
	maxSchemas = 1024
)

// newFramedSplitter makes a splitter that knows no schema.
func newFramedSplitter(p paths) *framedSplitter {
	return &framedSplitter{paths: p, known: map[uint32]program{}}
}

// split implements splitter.
func (s *framedSplitter) split(b []byte, vals []value) Reason {
	s.wants = false
	if b[0] != 0 {
		return ReasonSyntax
	}
	if len(b) < frameSize {
		return ReasonTruncated
	}
	id := binary.BigEndian.Uint32(b[1:frameSize])
	if s.last == nil || id != s.lastID {
		p, known := s.known[id]
		if p == nil {
			s.wants, s.wanted = !known, id
			return ReasonSchema
		}
		s.last, s.lastID = p, id
	}
	clear(vals)
	s.finds.vals, s.finds.arena = vals, s.finds.arena[:0]
	return s.last.run(b[frameSize:], &s.finds)
}

// learn keeps the program of a schema, nil for one that cannot be used.
func (s *framedSplitter) learn(id uint32, p program) {
	if len(s.known) >= maxSchemas {
		clear(s.known)
		s.last = nil
	}
	s.known[id] = p
	s.wants = s.wants && id != s.wanted
}

// WantsSchema tells whether the last message was refused with ReasonSchema only because its schema is not known yet:
// Learn it and decode the message again.
func (d *Decoder) WantsSchema() bool { return d.framed != nil && d.framed.wants }

// Learn asks for the schema that the last message wants, and does nothing if it wants none. If the registry could not be
// asked, the error is that and WantsSchema stays true. Otherwise the message can be decoded again, at once; an error then
// says why the messages of this schema are refused from now on.
func (d *Decoder) Learn(ctx context.Context, from Schemas) error {
	if !d.WantsSchema() {
		return nil
	}
	id := d.framed.wanted
	kind, text, err := from.Schema(ctx, id)
	if err != nil {
		return fmt.Errorf("schema %d: %w", id, err)
	}
	p, err := compileSchema(ctx, kind, text, d.paths)
	if ctx.Err() != nil {
		return fmt.Errorf("schema %d: %w", id, ctx.Err())
	}
	d.framed.learn(id, p)
	if err != nil {
		return fmt.Errorf("schema %d: %w", id, err)
	}
	return nil
}

// compileSchema makes the program of a schema that reads the wanted paths.
func compileSchema(ctx context.Context, kind, text string, p paths) (program, error) {
	switch kind {
	case "AVRO":
		return compileAvro(text, newTree(p))
	case "PROTOBUF":
		return compileProto(ctx, text, newTree(p))
	case "JSON":
		return &jsonProgram{newJSONSplitter(p)}, nil
	case "":
		return nil, errors.New("the registry has none of this id")
	}
	return nil, fmt.Errorf("of kind %.40q: want AVRO, PROTOBUF or JSON", kind)
}

// jsonProgram reads JSON behind a frame.
type jsonProgram struct{ split *jsonSplitter }

// run implements program. Nothing is left in the values from whatever program ran before.
func (p *jsonProgram) run(b []byte, out *finds) Reason {
	return p.split.split(trimEnd(b), out.vals)
}
