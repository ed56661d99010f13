package history

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"time"

	"firebreak/actuator"
)

func (r *columnReader) getMap(t reflect.Type, vals []reflect.Value) error {
	lens, total, err := r.lens(len(vals))
	if err != nil {
		return err
	}
	var columns [2][]reflect.Value
	for i, elem := range []reflect.Type{t.Key(), t.Elem()} {
		if err := r.take(total, elem); err != nil {
			return err
		}
		for range total {
			columns[i] = append(columns[i], reflect.New(elem).Elem())
		}
		if err := r.get(elem, columns[i]); err != nil {
			return err
		}
	}
	at := 0
	for i, n := range lens {
		if n < 0 {
			continue
		}
		m := reflect.MakeMapWithSize(t, n)
		for range n {
			m.SetMapIndex(columns[0][at], columns[1][at])
			at++
		}
		if m.Len() != n {
			return fmt.Errorf("%w: a key twice", errColumns)
		}
		vals[i].Set(m)
	}
	return nil
}

func (r *columnReader) getRef(t reflect.Type, vals []reflect.Value) error {
	marks, err := r.bytes(uint64(len(vals)))
	if err != nil {
		return err
	}
	var there []reflect.Value
	for i, mark := range marks {
		if mark == 0 {
			continue
		}
		if err := r.take(1, t.Elem()); err != nil {
			return err
		}
		vals[i].Set(reflect.New(t.Elem()))
		there = append(there, vals[i].Elem())
	}
	return r.get(t.Elem(), there)
}

func (r *columnReader) getWords(t reflect.Type, vals []reflect.Value) error {
	count, err := r.uint()
	if err != nil || count > 256 {
		return fmt.Errorf("%w: %d words", errColumns, count)
	}
	numbers := make([]uint64, count)
	for i := range numbers {
		word, err := r.text()
		if err != nil {
			return err
		}
		if numbers[i], err = numberOf(t, word); err != nil {
			return err
		}
	}
	if count == 0 && len(vals) > 0 {
		return fmt.Errorf("%w: no word", errColumns)
	}
	places := make([]byte, len(vals))
	if count > 1 {
		if places, err = r.bytes(uint64(len(vals))); err != nil {
			return err
		}
	}
	for i, v := range vals {
		if uint64(places[i]) >= count {
			return fmt.Errorf("%w: word %d of %d", errColumns, places[i], count)
		}
		v.SetUint(numbers[places[i]])
	}
	return nil
}

// numberOf finds the value of an enumeration that is spelled so.
func numberOf(t reflect.Type, word string) (uint64, error) {
	v := reflect.New(t).Elem()
	for n := range uint64(256) {
		if v.SetUint(n); fmt.Sprint(v.Interface()) == word {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s %q: %w", t, word, actuator.ErrNewer)
}

func (r *columnReader) getText(vals []reflect.Value) error {
	lens, total, err := r.lens(len(vals))
	if err != nil {
		return err
	}
	if total > len(r.in) {
		return fmt.Errorf("%w: %d bytes of text where %d are left", errColumns, total, len(r.in))
	}
	for i, n := range lens {
		b, err := r.bytes(uint64(max(0, n)))
		switch {
		case err != nil:
			return err
		case vals[i].Kind() == reflect.String && n < 0:
			return fmt.Errorf("%w: no text", errColumns)
		case vals[i].Kind() == reflect.String:
			vals[i].SetString(string(b))
		case n >= 0:
			vals[i].SetBytes(append(make([]byte, 0, n), b...))
		}
	}
	return nil
}

func (r *columnReader) getTimes(vals []reflect.Value) error {
	seconds := make([]int64, len(vals))
	for i := range seconds {
		var err error
		if seconds[i], err = r.int(); err != nil {
			return err
		}
	}
	for i, v := range vals {
		nanos, err := r.uint()
		if err != nil || nanos >= uint64(time.Second) {
			return fmt.Errorf("%w: no time", errColumns)
		}
		v.Set(reflect.ValueOf(time.Unix(seconds[i], int64(nanos)).UTC()))
	}
	return nil
}

func (r *columnReader) getNumbers(kind wireKind, vals []reflect.Value) error {
	for _, v := range vals {
		if kind == wireInt {
			n, err := r.int()
			if err != nil {
				return err
			}
			if v.OverflowInt(n) {
				return fmt.Errorf("%w: %d is no %s", errColumns, n, v.Type())
			}
			v.SetInt(n)
			continue
		}
		n, err := r.uint()
		switch {
		case err != nil:
			return err
		case kind == wireFloat:
			v.SetFloat(math.Float64frombits(bits.ReverseBytes64(n)))
		case kind == wireBool && n < 2:
			v.SetBool(n == 1)
		case kind == wireUint && !v.OverflowUint(n):
			v.SetUint(n)
		default:
			return fmt.Errorf("%w: %d is no %s", errColumns, n, v.Type())
		}
	}
	return nil
}
