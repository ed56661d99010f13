package decode

import "strconv"

// setter returns what stores the value of a name in a row; nil for a name that is not wanted.
func setter(name string) func(r *Row, value string) error {
	switch name {
	case "ts_ms":
		return func(r *Row, value string) (err error) { r.TS, err = strconv.ParseInt(value, 10, 64); return err }
	case "tenant":
		return func(r *Row, value string) error { r.Tenant = value; return nil }
	case "key":
		return func(r *Row, value string) error { r.Key = value; return nil }
	case "op":
		return func(r *Row, value string) error { r.Op = value; return nil }
	case "weight":
		return func(r *Row, value string) (err error) { r.Weight, err = strconv.ParseFloat(value, 64); return err }
	case "shard":
		return func(r *Row, value string) error { r.Shard = value; return nil }
	case "bytes":
		return func(r *Row, value string) (err error) { r.Bytes, err = strconv.ParseFloat(value, 64); return err }
	case "latency_us":
		return func(r *Row, value string) (err error) { r.Latency, err = strconv.ParseFloat(value, 64); return err }
	case "status":
		return func(r *Row, value string) (err error) { r.Status, err = strconv.Atoi(value); return err }
	default:
		return nil
	}
}

// set stores a value under its name; a name that is not wanted is passed over.
func (r *Row) set(name, value string) (err error) {
	switch name {
	case "ts_ms":
		r.TS, err = strconv.ParseInt(value, 10, 64)
	case "tenant":
		r.Tenant = value
	case "key":
		r.Key = value
	case "op":
		r.Op = value
	case "weight":
		r.Weight, err = strconv.ParseFloat(value, 64)
	case "shard":
		r.Shard = value
	case "bytes":
		r.Bytes, err = strconv.ParseFloat(value, 64)
	case "latency_us":
		r.Latency, err = strconv.ParseFloat(value, 64)
	case "status":
		r.Status, err = strconv.Atoi(value)
	}
	return err
}
