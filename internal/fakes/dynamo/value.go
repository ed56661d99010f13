package dynamo

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
)

// value is one attribute's value. Exactly the member that kind names is set.
type value struct {
	kind   string // S N B BOOL NULL M L SS NS
	text   string // S; B as its bytes; N as number.String writes it
	flag   bool   // BOOL, NULL
	list   []value
	fields map[string]value
	set    []string // SS, NS; sorted
}

// item is a whole item.
type item map[string]value

// UnmarshalJSON reads {"S": "text"} and its like.
func (v *value) UnmarshalJSON(b []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil || len(members) != 1 {
		return invalid("an attribute value has to have exactly one type")
	}
	for kind, raw := range members {
		v.kind = kind
		return v.read(raw)
	}
	return nil
}

func (v *value) read(raw json.RawMessage) error {
	var err error
	switch v.kind {
	case "S":
		err = json.Unmarshal(raw, &v.text)
	case "N":
		if err = json.Unmarshal(raw, &v.text); err == nil {
			v.text, err = normal(v.text)
		}
	case "B":
		var b []byte
		err = json.Unmarshal(raw, &b)
		v.text = string(b)
	case "BOOL", "NULL":
		err = json.Unmarshal(raw, &v.flag)
	case "L":
		v.list = []value{}
		err = json.Unmarshal(raw, &v.list)
	case "M":
		v.fields = map[string]value{}
		err = json.Unmarshal(raw, &v.fields)
	case "SS", "NS":
		err = v.readSet(raw)
	default:
		return refuse("attribute type " + v.kind)
	}
	if err != nil {
		var said *failure
		if ok := asFailure(err, &said); ok {
			return said
		}
		return &failure{400, "SerializationException", err.Error()}
	}
	return nil
}

func (v *value) readSet(raw json.RawMessage) error {
	if err := json.Unmarshal(raw, &v.set); err != nil {
		return err
	}
	if len(v.set) == 0 {
		return invalid("an empty set")
	}
	for i := range v.set {
		if v.kind != "NS" {
			continue
		}
		var err error
		if v.set[i], err = normal(v.set[i]); err != nil {
			return err
		}
	}
	slices.Sort(v.set)
	if len(slices.Compact(slices.Clone(v.set))) != len(v.set) {
		return invalid("a set holds a value twice")
	}
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (v value) MarshalJSON() ([]byte, error) {
	var inner any
	switch v.kind {
	case "S", "N":
		inner = v.text
	case "B":
		inner = base64.StdEncoding.EncodeToString([]byte(v.text))
	case "BOOL", "NULL":
		inner = v.flag
	case "L":
		inner = v.list
	case "M":
		inner = v.fields
	default:
		inner = v.set
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(map[string]any{v.kind: inner})
	return out.Bytes(), err
}

// equal compares values of any types, deeply.
func (v value) equal(o value) bool {
	if v.kind != o.kind || v.text != o.text || v.flag != o.flag || len(v.fields) != len(o.fields) {
		return false
	}
	for name, f := range v.fields {
		if g, ok := o.fields[name]; !ok || !f.equal(g) {
			return false
		}
	}
	return slices.Equal(v.set, o.set) && slices.EqualFunc(v.list, o.list, value.equal)
}

// clone shares nothing with v.
func (v value) clone() value {
	v.set = slices.Clone(v.set)
	v.list = slices.Clone(v.list)
	for i := range v.list {
		v.list[i] = v.list[i].clone()
	}
	if v.fields != nil {
		v.fields = item(v.fields).clone()
	}
	return v
}

func (it item) clone() item {
	if it == nil {
		return nil
	}
	c := make(item, len(it))
	for name, v := range it {
		c[name] = v.clone()
	}
	return c
}

// size is in bytes, as DynamoDB counts:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
func (v value) size() int {
	switch v.kind {
	case "S", "B":
		return len(v.text)
	case "N":
		return numberSize(v.text)
	case "L":
		n := 3 + len(v.list)
		for _, e := range v.list {
			n += e.size()
		}
		return n
	case "M":
		return 3 + len(v.fields) + item(v.fields).size()
	case "SS", "NS":
		n := 0
		for _, text := range v.set {
			if n += len(text); v.kind == "NS" {
				n += numberSize(text) - len(text)
			}
		}
		return n
	}
	return 1 // BOOL, NULL
}

func (it item) size() int {
	n := 0
	for name, v := range it {
		n += len(name) + v.size()
	}
	return n
}
