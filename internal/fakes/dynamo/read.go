package dynamo

import (
	"slices"
	"strings"
)

const (
	mostPage = 1 << 20 // bytes of a page of a query
	mostKeys = 100     // keys of a BatchGetItem
)

type getInput struct {
	TableName            string
	Key                  item
	ConsistentRead       bool
	ProjectionExpression *string
	scope
}

func (s *Server) getItem(in *getInput) (any, error) {
	t, err := s.itemsOf(in.TableName)
	if err != nil {
		return nil, err
	}
	k, err := keyOf(in.Key, true)
	if err != nil {
		return nil, err
	}
	paths, err := in.projection(in.ProjectionExpression)
	if err == nil {
		err = in.finish()
	}
	if err != nil {
		return nil, err
	}
	it := t.get(k, s.view(in.ConsistentRead))
	s.charge(k.partition, readUnits(it.size(), in.ConsistentRead), 0)
	if it == nil {
		return map[string]any{}, nil
	}
	return map[string]any{"Item": project(it, paths)}, nil
}

type batchInput struct {
	RequestItems map[string]batchOf
}

type batchOf struct {
	Keys                     []item
	ConsistentRead           bool
	ProjectionExpression     *string           `json:",omitempty"`
	ExpressionAttributeNames map[string]string `json:",omitempty"`
}

// batchGetItem leaves keys whose partition key has used up its units of the second unprocessed, and is throttled where all are.
func (s *Server) batchGetItem(in *batchInput) (any, error) {
	found, left, total, leftOut := map[string][]item{}, map[string]any{}, 0, 0
	for name, of := range in.RequestItems {
		t, err := s.itemsOf(name)
		if err != nil {
			return nil, err
		}
		names := scope{ExpressionAttributeNames: of.ExpressionAttributeNames}
		paths, err := names.projection(of.ProjectionExpression)
		if err != nil {
			return nil, err
		}
		if total += len(of.Keys); total > mostKeys {
			return nil, invalid("too many items requested for the BatchGetItem call")
		}
		found[name] = []item{}
		seen := map[key]bool{}
		later := of
		later.Keys = nil
		for _, it := range of.Keys {
			k, err := keyOf(it, true)
			if err != nil {
				return nil, err
			}
			if seen[k] {
				return nil, invalid("provided list of item keys contains duplicates")
			}
			seen[k] = true
			if s.limits.exceeded(s.now(), k.partition) {
				later.Keys = append(later.Keys, it)
				continue
			}
			got := t.get(k, s.view(of.ConsistentRead))
			s.charge(k.partition, readUnits(got.size(), of.ConsistentRead), 0)
			if got != nil {
				found[name] = append(found[name], project(got, paths))
			}
		}
		if len(later.Keys) > 0 {
			left[name] = later
			leftOut += len(later.Keys)
		}
	}
	switch {
	case total == 0:
		return nil, invalid("the list of keys in RequestItems for BatchGetItem is required")
	case leftOut == total:
		return nil, &failure{400, Throttled, "too many units on the partition keys"}
	}
	return map[string]any{"Responses": found, "UnprocessedKeys": left}, nil
}

type queryInput struct {
	TableName              string
	KeyConditionExpression *string
	ProjectionExpression   *string
	ConsistentRead         bool
	ScanIndexForward       *bool
	Limit                  *int
	ExclusiveStartKey      item
	scope
}

func (s *Server) query(in *queryInput) (any, error) {
	t, err := s.itemsOf(in.TableName)
	if err != nil {
		return nil, err
	}
	partition, of, err := in.keyCondition(in.KeyConditionExpression)
	if err != nil {
		return nil, err
	}
	paths, err := in.projection(in.ProjectionExpression)
	if err == nil {
		err = in.finish()
	}
	if err != nil {
		return nil, err
	}
	items := t.sorted(partition, s.view(in.ConsistentRead))
	backwards := in.ScanIndexForward != nil && !*in.ScanIndexForward
	if backwards {
		slices.Reverse(items)
	}
	if in.ExclusiveStartKey != nil {
		after, err := keyOf(in.ExclusiveStartKey, true)
		if err != nil {
			return nil, err
		}
		items = slices.DeleteFunc(items, func(it item) bool {
			order := strings.Compare(it[sortName].text, after.sort)
			return order == 0 || (order < 0) != backwards
		})
	}
	return s.page(in, partition, slices.DeleteFunc(items, func(it item) bool { return !of(it[sortName]) }), paths)
}

// page is as many of the items as one answer holds.
func (s *Server) page(in *queryInput, partition string, items []item, paths []path) (any, error) {
	if in.Limit != nil && *in.Limit < 1 {
		return nil, invalid("limit: has to be at least 1")
	}
	out, size := map[string]any{}, 0
	got := []item{}
	for i, it := range items {
		size += it.size()
		got = append(got, project(it, paths))
		full := in.Limit != nil && len(got) == *in.Limit
		if full || size > mostPage && i < len(items)-1 {
			out["LastEvaluatedKey"] = item{partitionName: it[partitionName], sortName: it[sortName]}
			break
		}
	}
	s.charge(partition, readUnits(size, in.ConsistentRead), 0)
	out["Items"], out["Count"], out["ScannedCount"] = got, len(got), len(got)
	return out, nil
}

// keyCondition reads #pk = :pk, alone or with AND and a condition on #sk: a comparison, or begins_with.
func (s *scope) keyCondition(text *string) (partition string, of func(value) bool, err error) {
	if text == nil {
		return "", nil, invalid("either the KeyConditions or KeyConditionExpression parameter must be specified in the request")
	}
	e, err := s.read(*text)
	if err != nil {
		return "", nil, err
	}
	p, err := e.path()
	if err != nil {
		return "", nil, err
	}
	if err := e.want("="); err != nil || len(p) != 1 || p[0] != partitionName {
		return "", nil, refuse("a key condition that does not begin with #pk = :pk")
	}
	v, err := e.value(e.next())
	if err != nil {
		return "", nil, err
	}
	if v.kind != "S" || v.text == "" {
		return "", nil, invalid("one or more parameter values were invalid: the partition key")
	}
	if e.peek() == "" {
		return v.text, func(value) bool { return true }, nil
	}
	if err := e.want("AND"); err != nil {
		return "", nil, err
	}
	c, err := e.not()
	if err == nil && e.peek() != "" {
		err = e.wrong()
	}
	return v.text, func(sort value) bool {
		ok, err := c(item{sortName: sort})
		return ok && err == nil
	}, err
}
