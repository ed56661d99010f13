package dynamo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// attributes are an item, or a map in one.
type attributes = map[string]types.AttributeValue

// MaxItemBytes is what DynamoDB takes as one item, names of attributes included:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const MaxItemBytes = 400 << 10

// fromJSON makes attributes of a JSON object: objects become maps, arrays lists, and numbers keep every digit.
func fromJSON(b []byte) (attributes, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil {
		return nil, err
	}
	return toMap(object)
}

func toMap(object map[string]any) (attributes, error) {
	out := make(attributes, len(object))
	for name, v := range object {
		a, err := toAttribute(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = a
	}
	return out, nil
}

func toAttribute(v any) (types.AttributeValue, error) {
	switch v := v.(type) {
	case string:
		return text(v), nil
	case json.Number:
		return toNumber(v)
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}, nil
	case nil:
		return &types.AttributeValueMemberNULL{Value: true}, nil
	case map[string]any:
		m, err := toMap(v)
		return &types.AttributeValueMemberM{Value: m}, err
	case []any:
		list := make([]types.AttributeValue, len(v))
		for i := range v {
			var err error
			if list[i], err = toAttribute(v[i]); err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return &types.AttributeValueMemberL{Value: list}, nil
	}
	return nil, fmt.Errorf("%T is no JSON", v)
}

// toNumber refuses what DynamoDB cannot hold: 1e-130 to 9.99...e125. Its 38 digits are more than any number here has.
func toNumber(n json.Number) (types.AttributeValue, error) {
	f, err := n.Float64()
	if size := math.Abs(f); err != nil || size >= 1e126 || size != 0 && size < 1e-130 {
		return nil, fmt.Errorf("%s is outside the numbers that DynamoDB holds", n)
	}
	return &types.AttributeValueMemberN{Value: n.String()}, nil
}

// toJSON is the inverse of fromJSON, without the keys of the item. Types that JSON does not have are errors: nothing of ours has them.
func toJSON(item attributes) ([]byte, error) {
	var out bytes.Buffer
	object := make(map[string]any, len(item))
	for name, a := range item {
		if name == partitionKey || name == sortKey {
			continue
		}
		v, err := fromAttribute(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		object[name] = v
	}
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(object); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func fromAttribute(a types.AttributeValue) (any, error) {
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		return a.Value, nil
	case *types.AttributeValueMemberN:
		if !json.Valid([]byte(a.Value)) {
			return nil, fmt.Errorf("%q is no number", a.Value)
		}
		return json.Number(a.Value), nil
	case *types.AttributeValueMemberBOOL:
		return a.Value, nil
	case *types.AttributeValueMemberNULL:
		return nil, nil // null is a value
	case *types.AttributeValueMemberM:
		object := make(map[string]any, len(a.Value))
		for name, inner := range a.Value {
			v, err := fromAttribute(inner)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			object[name] = v
		}
		return object, nil
	case *types.AttributeValueMemberL:
		list := make([]any, len(a.Value))
		for i := range a.Value {
			var err error
			if list[i], err = fromAttribute(a.Value[i]); err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return list, nil
	}
	return nil, fmt.Errorf("%T is of no type that is written here", a)
}

// itemSize is an item's size in bytes, as DynamoDB counts it, and never below:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
func itemSize(item attributes) int {
	n := 0
	for name, a := range item {
		n += len(name) + attributeSize(a)
	}
	return n
}

func attributeSize(a types.AttributeValue) int {
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		return len(a.Value)
	case *types.AttributeValueMemberN:
		return (len(a.Value)+1)/2 + 2
	case *types.AttributeValueMemberM:
		return 3 + len(a.Value) + itemSize(a.Value)
	case *types.AttributeValueMemberL:
		n := 3 + len(a.Value)
		for _, inner := range a.Value {
			n += attributeSize(inner)
		}
		return n
	}
	return 1
}

// checkSize refuses an item that DynamoDB would refuse.
func checkSize(what string, item attributes) error {
	if size := itemSize(item); size > MaxItemBytes {
		return fmt.Errorf("%s: an item of %d bytes, DynamoDB takes at most %d", what, size, MaxItemBytes)
	}
	return nil
}
