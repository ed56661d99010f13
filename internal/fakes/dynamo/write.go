package dynamo

import (
	"fmt"
	"slices"
)

type putInput struct {
	TableName           string
	Item                item
	ConditionExpression *string
	ReturnValues        string
	scope
}

func (s *Server) putItem(in *putInput) (any, error) {
	w, err := s.write(in.TableName, in.Item, false, &in.scope, in.ConditionExpression)
	if err != nil {
		return nil, err
	}
	if err := in.finish(); err != nil {
		return nil, err
	}
	return w.do(in.Item.clone(), in.ReturnValues, "NONE", "ALL_OLD")
}

type deleteInput struct {
	TableName           string
	Key                 item
	ConditionExpression *string
	ReturnValues        string
	scope
}

func (s *Server) deleteItem(in *deleteInput) (any, error) {
	w, err := s.write(in.TableName, in.Key, true, &in.scope, in.ConditionExpression)
	if err != nil {
		return nil, err
	}
	if err := in.finish(); err != nil {
		return nil, err
	}
	return w.do(nil, in.ReturnValues, "NONE", "ALL_OLD")
}

type updateInput struct {
	TableName           string
	Key                 item
	UpdateExpression    *string
	ConditionExpression *string
	ReturnValues        string
	scope
}

func (s *Server) updateItem(in *updateInput) (any, error) {
	w, err := s.write(in.TableName, in.Key, true, &in.scope, in.ConditionExpression)
	if err != nil {
		return nil, err
	}
	change, err := in.update(in.UpdateExpression)
	if err == nil {
		err = in.finish()
	}
	if err != nil {
		return nil, err
	}
	if ok, err := w.fits(w.was); err == nil && ok {
		w.is = w.was.clone()
		if w.is == nil {
			w.is = in.Key.clone()
		}
		if err := change(w.is); err != nil {
			return nil, err
		}
	}
	return w.do(w.is, in.ReturnValues, "NONE", "ALL_OLD", "ALL_NEW")
}

// writing is one write while it is judged.
type writing struct {
	s    *Server
	t    *table
	key  key
	was  item // as it stands; nil = there is none
	is   item
	fits condition
}

func (s *Server) write(name string, it item, alone bool, of *scope, expression *string) (*writing, error) {
	t, err := s.itemsOf(name)
	if err != nil {
		return nil, err
	}
	w := &writing{s: s, t: t}
	if w.key, err = keyOf(it, alone); err != nil {
		return nil, err
	}
	if w.fits, err = of.condition(expression); err != nil {
		return nil, err
	}
	w.was = t.get(w.key, s.now())
	return w, nil
}

// do writes, if the condition holds; nil deletes.
func (w *writing) do(is item, back string, known ...string) (any, error) {
	if back != "" && !slices.Contains(known, back) {
		return nil, refuse("ReturnValues: " + back)
	}
	if size := is.size(); size > mostItem {
		return nil, invalid(fmt.Sprintf("item size has exceeded the maximum allowed size: %d bytes", size))
	}
	ok, err := w.fits(w.was)
	if err != nil {
		return nil, err
	}
	if !ok {
		w.s.charge(w.key.partition, 0, writeUnits(w.was, nil))
		return nil, &failure{400, Denied, "the conditional request failed"}
	}
	w.s.charge(w.key.partition, 0, writeUnits(w.was, is))
	w.t.put(w.s.now(), w.key, is)
	out := map[string]any{}
	switch {
	case back == "ALL_OLD" && w.was != nil:
		out["Attributes"] = w.was
	case back == "ALL_NEW":
		out["Attributes"] = is
	}
	return out, nil
}
