package console

import (
	"encoding/json"
	"reflect"
	"strings"

	"firebreak/internal/line"
)

// parameter is one of a query.
type parameter struct{ name, says, kind string }

// route is one path of the API: what the document says of it, and who answers.
type route struct {
	path, says string
	parameters []parameter
	answer     reflect.Type // nil = any object
}

func (a *api) described() []route {
	fleet := parameter{"fleet", "name of a fleet, escaped; may be left out where there is only one", "string"}
	return []route{
		{"fleets", "Every fleet as it is now: its load, its shards, how far its log can be trusted, what holds.", nil, reflect.TypeFor[fleetsAnswer]()},
		{"hotspots", "Hotspots, those that are open first. Without a fleet those of all.", []parameter{
			fleet, {"state", "open or resolved; left out: both", "string"}, {"limit", "at most so many, 1 to 200", "integer"},
		}, reflect.TypeFor[hotspotsAnswer]()},
		{"hotspots/{id}", "A hotspot in full: verdict, plan and holds as lines of docs/replay-json.md, its events, and the words of the page.", nil, reflect.TypeFor[hotspotAnswer]()},
		{"heatmap", "Load / line of every shard by the minute, the newest last; where there are many shards minutes are joined by maximum.", []parameter{
			fleet, {"minutes", "the newest so many, 1 to 1440", "integer"},
		}, reflect.TypeFor[heatAnswer]()},
		{"search", "What a key or a tenant has in the window, listed or not, with bounds, and its shard.", []parameter{
			fleet, {"key", "escaped", "string"}, {"tenant", "escaped", "string"},
		}, reflect.TypeFor[searchAnswer]()},
		{"whatif", "What more shards, a salt or a cache would do to one hot key: what `firebreak whatif --output json` prints.", []parameter{
			{"share", "of the key, such as 12%", "string"},
			{"rate", "requests/s of the fleet", "string"},
			{"shards", "that serve", "string"},
			{"reads", "share of reads, such as 5%", "string"},
			{"target", "a multiple of the mean, such as 1.5x", "string"},
			{"capacity", "requests/s of a shard, instead of target", "string"},
			{"sample", "such as 1:100", "string"},
		}, nil},
		{"fleets/{fleet}/actions", "What is done of the fixes of a fleet, and what is to be: plans that stand with what they wait for and what they would write, operations with their phases and their way back.", nil, reflect.TypeFor[actionsAnswer]()},
		{"fleets/{fleet}/routing", "What clients of a fleet route by, who holds which version, and the changes of the last month as the journal has them, at most 200.", nil, reflect.TypeFor[routingOfAnswer]()},
		{"reports", "The reports that were written, or given up, as the journal of the last month says: the newest period first. /reports/json makes one of any time.", nil, reflect.TypeFor[reportsAnswer]()},
		{"status", "How the instance that answers is.", nil, reflect.TypeFor[statusAnswer]()},
		{"openapi.json", "This document.", nil, nil},
	}
}

type object = map[string]any

// document is the OpenAPI description of what is served.
func (a *api) document() object {
	paths := object{}
	for _, r := range a.described() {
		parameters := []object{}
		for _, name := range []string{"id", "fleet"} {
			if strings.Contains(r.path, "{"+name+"}") {
				parameters = append(parameters, object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}})
			}
		}
		for _, p := range r.parameters {
			parameters = append(parameters, object{"name": p.name, "in": "query", "description": p.says, "schema": object{"type": p.kind}})
		}
		schema := object{"type": "object"}
		if r.answer != nil {
			schema = schemaOf(r.answer)
		}
		paths["/api/v1/"+r.path] = object{"get": object{
			"summary": r.says, "parameters": parameters,
			"responses": object{"200": answerOf("The answer.", schema), "default": answerOf("Why there is none.", object{"$ref": "#/components/schemas/Problem"})},
		}}
	}
	paths["/api/v1/fleets/{fleet}/actions"].(object)["post"] = asking()
	a.beside(paths)
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "firebreak", "version": "1",
			"description": "What the live page shows, for programs, and what may be asked for. GET changes nothing. Names (fleets, shards, keys, tenants) are bytes, written as escapes: \\\\ is a backslash, \\xNN a byte that is not UTF-8; parameters take the same form. " +
				"Times are RFC 3339 in UTC, empty where there is none. Loads are per second, shares 0 to 1, durations (_s) seconds.",
		},
		"paths": paths,
		"components": object{
			"schemas":         object{"Problem": schemaOf(reflect.TypeFor[problemAnswer]())},
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}, "password": object{"type": "http", "scheme": "basic"}},
		},
		"security": []object{{}, {"token": []string{}}, {"password": []string{}}},
	}
}

// asking describes how a person has something carried out.
func asking() object {
	body := schemaOf(reflect.TypeFor[word]())
	body["required"] = []string{"do", "reason"}
	body["properties"].(object)["do"] = object{"type": "string", "enum": []string{"approve", "reject", "hold", "rollback", "stop", "resume"}}
	body["properties"].(object)["reason"] = object{"type": "string", "minLength": 1, "maxLength": maxReason}
	problem := answerOf("It was not carried out, and why: 403 the person may not, or a page of another site asks; 404 there is no such plan, hotspot or operation; 409 who decides refused it; 504 nobody answered within 20 s, and it was taken back.",
		object{"$ref": "#/components/schemas/Problem"})
	return object{
		"summary":     "Have a word carried out, in the name of who is authenticated: approve or reject a plan; hold a hotspot or an operation; approve an operation that is held; rollback of an operation; stop or resume acting. It answers when who decides has.",
		"parameters":  []object{{"name": "fleet", "in": "path", "required": true, "schema": object{"type": "string"}}},
		"requestBody": object{"required": true, "content": object{"application/json": object{"schema": body}, "application/x-www-form-urlencoded": object{"schema": body}}},
		"responses":   object{"200": answerOf("It is carried out, by that version.", schemaOf(reflect.TypeFor[askedAnswer]())), "default": problem},
		"security":    []object{{"token": []string{}}, {"password": []string{}}},
	}
}

// beside adds what is for programs and stands outside of /api/v1.
func (a *api) beside(paths object) {
	text := func(says, kind string) object {
		return object{"description": says, "content": object{kind: object{"schema": object{"type": "string"}}}}
	}
	paths["/events"] = object{"get": object{
		"summary": "Server-sent events: `change`, at most once a second, says that what is shown may have changed; its data is a number that differs from the one before. `beat`, every 10 s, says that the stream lives.", "parameters": []object{},
		"responses": object{"200": text("The stream, for an hour at most.", "text/event-stream"), "default": answerOf("Why there is none.", object{"$ref": "#/components/schemas/Problem"})},
	}}
	parameters := []object{}
	for _, p := range []parameter{
		{"last", "the time up to now, such as 90m, 24h, 7d", "string"},
		{"from", "instead: RFC 3339, or a day in the zone of reports", "string"},
		{"to", "the same, not included; left out: now", "string"},
		{"fleet", "one, escaped; left out: all", "string"},
	} {
		parameters = append(parameters, object{"name": p.name, "in": "query", "description": p.says, "schema": object{"type": p.kind}})
	}
	for form, kind := range forms() {
		media, _, _ := strings.Cut(kind, ";")
		answer, problem := text("The report.", media), text("Why there is none.", "text/plain")
		switch form {
		case "json":
			answer, problem = answerOf("The report.", object{"type": "object"}), answerOf("Why there is none.", object{"$ref": "#/components/schemas/Problem"})
		case "html":
			problem = text("Why there is none.", "text/html")
		}
		paths["/reports/"+form] = object{"get": object{
			"summary": "The report of a time, made while you wait, one at a time.", "parameters": parameters, "responses": object{"200": answer, "default": problem},
		}}
	}
}

func answerOf(says string, schema object) object {
	return object{"description": says, "content": object{"application/json": object{"schema": schema}}}
}

// schemaOf is the JSON Schema of what encoding/json makes of a type.
func schemaOf(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[line.Stamp](), reflect.TypeFor[line.Name](), reflect.TypeFor[line.Prose]():
		return object{"type": "string"}
	case reflect.TypeFor[json.RawMessage]():
		return object{}
	}
	switch t.Kind() { //nolint:exhaustive // the kinds that answers are made of
	case reflect.Pointer:
		return object{"anyOf": []object{schemaOf(t.Elem()), {"type": "null"}}}
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Struct:
		out := object{"type": "object", "additionalProperties": false}
		properties, required := object{}, []string{}
		fieldsOf(t, properties, &required)
		out["properties"], out["required"] = properties, required
		return out
	default:
		return object{"type": "integer"}
	}
}

// fieldsOf adds the members of a struct; those of an embedded one are its own.
func fieldsOf(t reflect.Type, properties object, required *[]string) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			fieldsOf(f.Type, properties, required)
			continue
		}
		properties[name] = schemaOf(f.Type)
		if !strings.Contains(options, "omit") {
			*required = append(*required, name)
		}
	}
}
