package history

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"firebreak/actuator"
)

// maxMemory bounds what one value may take when it is read, in bytes: five times the evidence of the largest fleet.
const maxMemory = 256 << 20

// unmarshal reads what marshal wrote into a zero value. strict refuses fields that T does not have with actuator.ErrNewer;
// otherwise they are passed over. It may take memory of 512 times the bytes and never more than maxMemory.
func unmarshal[T any](b []byte, into *T, strict bool) error {
	r := columnReader{in: b, strict: strict, memory: min(maxMemory, 64<<10+512*len(b))}
	err := r.get(reflect.TypeFor[T](), []reflect.Value{reflect.ValueOf(into).Elem()})
	if err == nil && len(r.in) > 0 {
		err = fmt.Errorf("%w: %d bytes too many", errColumns, len(r.in))
	}
	return err
}

type columnReader struct {
	in     []byte
	strict bool
	memory int // bytes that may still be taken
}

// take accounts for n values of a type.
func (r *columnReader) take(n int, t reflect.Type) error {
	size := int(t.Size()) + int(reflect.TypeFor[reflect.Value]().Size())
	if n > r.memory/size {
		return fmt.Errorf("%w: %d values of %s are too many", errColumns, n, t)
	}
	r.memory -= n * size
	return nil
}

func (r *columnReader) uint() (uint64, error) {
	n, size := binary.Uvarint(r.in)
	if size <= 0 {
		return 0, fmt.Errorf("%w: no number", errColumns)
	}
	r.in = r.in[size:]
	return n, nil
}

func (r *columnReader) int() (int64, error) {
	n, size := binary.Varint(r.in)
	if size <= 0 {
		return 0, fmt.Errorf("%w: no number", errColumns)
	}
	r.in = r.in[size:]
	return n, nil
}

func (r *columnReader) bytes(n uint64) ([]byte, error) {
	if n > uint64(len(r.in)) {
		return nil, fmt.Errorf("%w: %d bytes where %d are left", errColumns, n, len(r.in))
	}
	b := r.in[:n]
	r.in = r.in[n:]
	return b, nil
}

func (r *columnReader) text() (string, error) {
	n, err := r.uint()
	if err != nil {
		return "", err
	}
	b, err := r.bytes(n)
	return string(b), err
}

func (r *columnReader) get(t reflect.Type, vals []reflect.Value) error {
	kind, err := wireOf(t)
	if err != nil {
		return err
	}
	switch kind {
	case wireStruct:
		return r.getStruct(t, vals)
	case wireList:
		return r.getList(t, vals)
	case wireMap:
		return r.getMap(t, vals)
	case wireRef:
		return r.getRef(t, vals)
	case wireWord:
		return r.getWords(t, vals)
	case wireText:
		return r.getText(vals)
	case wireTime:
		return r.getTimes(vals)
	case wireBool, wireInt, wireUint, wireFloat:
	}
	return r.getNumbers(kind, vals)
}

func (r *columnReader) getStruct(t reflect.Type, vals []reflect.Value) error {
	fields, err := fieldsOf(t)
	if err != nil {
		return err
	}
	count, err := r.bytes(1)
	if err != nil {
		return err
	}
	column := make([]reflect.Value, len(vals))
	seen := map[string]bool{}
	for range count[0] {
		name, kind, body, err := r.field()
		if err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("%w: field %q twice", errColumns, name)
		}
		seen[name] = true
		if err := r.getField(fields, name, kind, body, vals, column); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return nil
}

// field reads the head of a field and cuts its column off.
func (r *columnReader) field() (name string, kind wireKind, body []byte, err error) {
	if name, err = r.text(); err != nil {
		return "", 0, nil, err
	}
	head, err := r.bytes(5)
	if err != nil {
		return "", 0, nil, err
	}
	body, err = r.bytes(uint64(binary.LittleEndian.Uint32(head[1:])))
	return name, wireKind(head[0]), body, err
}

func (r *columnReader) getField(fields []reflect.StructField, name string, kind wireKind, body []byte, vals, column []reflect.Value) error {
	for _, f := range fields {
		if f.Name != name {
			continue
		}
		if want, err := wireOf(f.Type); err != nil || want != kind {
			return fmt.Errorf("of kind %q, want %q: %w", rune(kind), rune(want), actuator.ErrNewer)
		}
		for i := range vals {
			column[i] = vals[i].FieldByIndex(f.Index)
		}
		rest := r.in
		r.in = body
		if err := r.get(f.Type, column); err != nil {
			return err
		}
		if len(r.in) > 0 {
			return fmt.Errorf("%w: %d bytes too many", errColumns, len(r.in))
		}
		r.in = rest
		return nil
	}
	if r.strict {
		return actuator.ErrNewer
	}
	return nil
}

// lens reads a length + 1 of each of n values; -1 = nil. Together they are total.
func (r *columnReader) lens(n int) (lens []int, total int, err error) {
	lens = make([]int, n)
	for i := range lens {
		l, err := r.uint()
		if err != nil {
			return nil, 0, err
		}
		if l > maxMemory {
			return nil, 0, fmt.Errorf("%w: a length of %d", errColumns, l)
		}
		lens[i] = int(l) - 1
		if total += max(0, lens[i]); total > maxMemory {
			return nil, 0, fmt.Errorf("%w: %d values", errColumns, total)
		}
	}
	return lens, total, nil
}

// getList lays the elements of all lists into one piece of memory.
func (r *columnReader) getList(t reflect.Type, vals []reflect.Value) error {
	lens, total, err := r.lens(len(vals))
	if err != nil {
		return err
	}
	if err := r.take(total, t.Elem()); err != nil {
		return err
	}
	all := reflect.MakeSlice(t, total, total)
	at := 0
	for i, n := range lens {
		if n >= 0 {
			vals[i].Set(all.Slice3(at, at+n, at+n))
			at += n
		}
	}
	elements := make([]reflect.Value, total)
	for i := range elements {
		elements[i] = all.Index(i)
	}
	return r.get(t.Elem(), elements)
}
