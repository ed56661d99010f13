package history

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"reflect"
)

// marshal writes a value of struct type in columns. Equal values give equal bytes.
func marshal[T any](v *T) ([]byte, error) {
	var w columnWriter
	if err := w.put(reflect.TypeFor[T](), []reflect.Value{reflect.ValueOf(v).Elem()}); err != nil {
		return nil, err
	}
	return w.out, nil
}

type columnWriter struct{ out []byte }

func (w *columnWriter) uint(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

func (w *columnWriter) text(s string) {
	w.uint(uint64(len(s)))
	w.out = append(w.out, s...)
}

// put writes one column: all values are of type t.
func (w *columnWriter) put(t reflect.Type, vals []reflect.Value) error {
	kind, err := wireOf(t)
	if err != nil {
		return err
	}
	switch kind {
	case wireStruct:
		return w.putStruct(t, vals)
	case wireList:
		return w.putList(t, vals)
	case wireMap:
		return w.putMap(t, vals)
	case wireRef:
		return w.putRef(t, vals)
	case wireWord:
		w.putWords(vals)
	case wireText:
		w.putText(vals)
	case wireTime:
		w.putTimes(vals)
	case wireBool, wireInt, wireUint, wireFloat:
		w.putNumbers(kind, vals)
	}
	return nil
}

func (w *columnWriter) putStruct(t reflect.Type, vals []reflect.Value) error {
	fields, err := fieldsOf(t)
	if err != nil {
		return err
	}
	count := 0
	at := len(w.out)
	w.out = append(w.out, 0)
	column := make([]reflect.Value, len(vals))
	for _, f := range fields {
		zero := true
		for i := range vals {
			column[i] = vals[i].FieldByIndex(f.Index)
			zero = zero && isZero(column[i])
		}
		if zero {
			continue
		}
		if count++; count > math.MaxInt8 {
			return fmt.Errorf("%s has too many fields", t)
		}
		if err := w.putField(f, column); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	w.out[at] = byte(count)
	return nil
}

func (w *columnWriter) putField(f reflect.StructField, column []reflect.Value) error {
	kind, err := wireOf(f.Type)
	if err != nil {
		return err
	}
	w.text(f.Name)
	w.out = append(w.out, byte(kind), 0, 0, 0, 0)
	at := len(w.out)
	if err := w.put(f.Type, column); err != nil {
		return err
	}
	size := len(w.out) - at
	if size > maxRaw {
		return fmt.Errorf("%w: a column of %d bytes", ErrTooLarge, size)
	}
	binary.LittleEndian.PutUint32(w.out[at-4:], uint32(size))
	return nil
}

func (w *columnWriter) putList(t reflect.Type, vals []reflect.Value) error {
	total := 0
	for _, v := range vals {
		w.putLen(v)
		total += v.Len()
	}
	all := make([]reflect.Value, 0, total)
	for _, v := range vals {
		for i := range v.Len() {
			all = append(all, v.Index(i))
		}
	}
	return w.put(t.Elem(), all)
}

// putLen tells nil from empty.
func (w *columnWriter) putLen(v reflect.Value) {
	if v.IsNil() {
		w.uint(0)
		return
	}
	w.uint(uint64(v.Len()) + 1)
}

func (w *columnWriter) putMap(t reflect.Type, vals []reflect.Value) error {
	if !keyed(t.Key()) {
		return fmt.Errorf("%s has no form", t)
	}
	var keys, values []reflect.Value
	for _, v := range vals {
		w.putLen(v)
		for _, k := range sortedKeys(v) {
			keys, values = append(keys, k), append(values, v.MapIndex(k))
		}
	}
	if err := w.put(t.Key(), keys); err != nil {
		return err
	}
	return w.put(t.Elem(), values)
}

func (w *columnWriter) putRef(t reflect.Type, vals []reflect.Value) error {
	var there []reflect.Value
	for _, v := range vals {
		if v.IsNil() {
			w.out = append(w.out, 0)
			continue
		}
		w.out = append(w.out, 1)
		there = append(there, v.Elem())
	}
	return w.put(t.Elem(), there)
}

// putWords writes an enumeration by its words: numbers may change from version to version, words do not.
func (w *columnWriter) putWords(vals []reflect.Value) {
	var places [256]int // + 1
	var words []string
	for _, v := range vals {
		if places[v.Uint()] == 0 {
			words = append(words, fmt.Sprint(v.Interface()))
			places[v.Uint()] = len(words)
		}
	}
	w.uint(uint64(len(words)))
	for _, word := range words {
		w.text(word)
	}
	if len(words) < 2 {
		return
	}
	for _, v := range vals {
		w.out = append(w.out, byte(places[v.Uint()]-1))
	}
}

func (w *columnWriter) putText(vals []reflect.Value) {
	for _, v := range vals {
		if v.Kind() == reflect.Slice {
			w.putLen(v)
			continue
		}
		w.uint(uint64(v.Len()) + 1)
	}
	for _, v := range vals {
		if v.Kind() == reflect.Slice {
			w.out = append(w.out, v.Bytes()...)
			continue
		}
		w.out = append(w.out, v.String()...)
	}
}

func (w *columnWriter) putTimes(vals []reflect.Value) {
	for _, v := range vals {
		t, _ := timeOf(v)
		w.out = binary.AppendVarint(w.out, t.Unix())
	}
	for _, v := range vals {
		t, _ := timeOf(v)
		w.uint(uint64(t.Nanosecond()))
	}
}

func (w *columnWriter) putNumbers(kind wireKind, vals []reflect.Value) {
	for _, v := range vals {
		switch {
		case kind == wireFloat:
			w.uint(bits.ReverseBytes64(math.Float64bits(v.Float())))
		case kind == wireInt:
			w.out = binary.AppendVarint(w.out, v.Int())
		case kind == wireUint:
			w.uint(v.Uint())
		case v.Bool():
			w.out = append(w.out, 1)
		default:
			w.out = append(w.out, 0)
		}
	}
}
