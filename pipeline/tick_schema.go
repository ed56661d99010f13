package pipeline

import (
	"context"
	"errors"

	"firebreak/pipeline/record"
)

// Schemas gives the schemas of records without ever waiting for them: a schema that is not known yet is record.ErrPending or
// record.ErrUnasked, and any other error is the registry's word.
type Schemas interface {
	record.Schemas
	// Useless is told, once for each schema of a fleet, that one that was given cannot be used.
	Useless(err error)
}

// Learn makes the tick ask for the schemas of its records; without it records of format confluent are refused. A record whose
// schema is pending is not taken, see Pending; one whose schema could not be asked for is refused as record.ReasonNoSchema,
// which lowers its fleet's coverage, and nobody else's.
func (t *Tick) Learn(from Schemas) {
	for _, f := range t.fleets {
		f.schemas = from
	}
}

// decode decodes the line at hand, and learns its schema if that is wanted.
func (f *tickFleet) decode() {
	f.pending = false
	f.reason = f.decoder.DecodeMessage(&f.line, &f.rec)
	if f.reason != record.ReasonSchema || f.schemas == nil || !f.decoder.WantsSchema() {
		return
	}
	err := f.decoder.Learn(context.Background(), f.schemas) // which does not wait
	switch {
	case errors.Is(err, record.ErrPending):
		f.pending = true
	case errors.Is(err, record.ErrUnasked):
		f.reason = record.ReasonNoSchema
	case f.decoder.WantsSchema(): // the registry has none
	case err != nil:
		f.schemas.Useless(err)
	default:
		f.reason = f.decoder.DecodeMessage(&f.line, &f.rec)
	}
}
