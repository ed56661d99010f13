//go:build dynalite

package dynamo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestDifferential: the same sequences of calls get the same answers from the fake and from dynalite, whose URL is in DYNALITE: status,
// kind of error, and body. What errors say in words is not compared.
func TestDifferential(t *testing.T) {
	endpoint := os.Getenv("DYNALITE")
	if endpoint == "" {
		t.Fatal("DYNALITE: want the URL of dynalite; .ci/dynamo starts it")
	}
	sequences := 0
	kinds := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		sequences++
		name := fmt.Sprintf("d%d-%d", os.Getpid(), sequences)
		table := strings.Replace(create, `"TableName":"t"`, `"TableName":"`+name+`"`, 1)
		s := New(time.Now)
		ask(t, s, "http://x/", "CreateTable", table)
		ask(t, http.DefaultTransport, endpoint, "CreateTable", table)
		active(t, endpoint, name)
		for i := range rapid.IntRange(1, 40).Draw(rt, "calls") {
			op, body := drawCall(rt, name)
			status, kind, said := ask(t, http.DefaultTransport, endpoint, op, body)
			mine, myKind, mySaid := ask(t, s, "http://x/", op, body)
			for _, b := range []map[string]any{said, mySaid} {
				for _, words := range []string{"__type", "message", "Message"} {
					delete(b, words)
				}
				sortBatch(b)
			}
			kinds[op+" "+kind]++
			if diff := cmp.Diff([]any{status, kind, said}, []any{mine, myKind, mySaid}); diff != "" {
				rt.Fatalf("call %d, %s %s (-dynalite +fake):\n%s", i, op, body, diff)
			}
		}
	})
	t.Logf("%d sequences: %v", sequences, kinds)
	for _, want := range []string{"PutItem ", "PutItem " + Denied, "UpdateItem ", "UpdateItem ValidationException", "DeleteItem ", "GetItem ", "Query ", "BatchGetItem "} {
		if kinds[want] == 0 {
			t.Errorf("no call was answered with %q", want)
		}
	}
}

// active waits until dynalite has made a table.
func active(t *testing.T, endpoint, name string) {
	t.Helper()
	for range 200 {
		_, _, said := ask(t, http.DefaultTransport, endpoint, "DescribeTable", `{"TableName":"`+name+`"}`)
		if d, is := said["Table"].(map[string]any); is && d["TableStatus"] == "ACTIVE" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("dynalite does not make the table")
}

// sortBatch gives the items of a BatchGetItem an order; they have none.
func sortBatch(said map[string]any) {
	of, _ := said["Responses"].(map[string]any)
	for _, items := range of {
		slices.SortFunc(items.([]any), func(a, b any) int {
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			return strings.Compare(string(x), string(y))
		})
	}
}

// values are of every type that is stored.
func values() []string {
	return []string{
		`{"N":"0"}`, `{"N":"1"}`, `{"N":"2.50"}`, `{"N":"-3e2"}`, `{"N":"18446744073709551615"}`, `{"S":"a"}`, `{"S":"ab"}`, `{"S":""}`, `{"S":"é\u0000"}`, `{"BOOL":true}`,
		`{"NULL":true}`, `{"L":[{"N":"1"},{"S":"a"}]}`, `{"L":[]}`, `{"M":{"x":{"N":"1"},"y":{"M":{}}}}`, `{"SS":["a","b"]}`, `{"NS":["1","2"]}`, `{"B":"YWI="}`,
	}
}

// conditions use the names #a, #b, #x and #pk and the value :v.
func conditions() []string {
	return []string{
		"attribute_not_exists(#pk)", "attribute_exists(#pk)", "#a = :v", "#a <> :v", "#a < :v", "#a <= :v", "#a > :v", "#a >= :v", "#a.#x = :v", ":v = #b",
		"attribute_not_exists(#a.#x) and #a = :v", "NOT #a = :v", "attribute_not_exists(#a) OR #a <= :v", "(attribute_exists(#a) OR attribute_exists(#b)) AND NOT #b = :v",
		"begins_with(#a, :v)", "contains(#a, :v)", "attribute_exists(#a) AND #a = #b", "#a = :v AND", "#nowhere = :v", "#a = :nothing", "(#a = :v", "#a == :v",
	}
}

func drawKey(t *rapid.T) string {
	return fmt.Sprintf(`"pk":{"S":%q},"sk":{"S":%q}`, rapid.SampledFrom([]string{"p", "q"}).Draw(t, "pk"), rapid.SampledFrom([]string{"a", "ab", "b", "B", "é"}).Draw(t, "sk"))
}

// scoped adds the names and values that expressions use.
func scoped(t *rapid.T, members string, expressions ...string) string {
	text := strings.Join(expressions, " ")
	var names, of []string
	for token, name := range map[string]string{"#a": "a", "#b": "b", "#x": "x", "#pk": "pk", "#sk": "sk"} {
		if strings.Contains(text, token) {
			names = append(names, fmt.Sprintf("%q:%q", token, name))
		}
	}
	for _, token := range []string{":v", ":w", ":p", ":s"} {
		if !strings.Contains(text, token) {
			continue
		}
		value := rapid.SampledFrom(values()).Filter(func(v string) bool { // dynalite finds no two maps equal, nor lists of objects
			return token != ":v" || !strings.HasPrefix(v, `{"M"`) && !strings.HasPrefix(v, `{"L":[{`)
		}).Draw(t, token)
		switch {
		case token == ":v" && strings.ContainsAny(strings.ReplaceAll(text, "<>", ""), "<>"): // dynalite takes others, DynamoDB does not
			value = rapid.SampledFrom([]string{`{"N":"1"}`, `{"N":"-3e2"}`, `{"S":"ab"}`, `{"B":"YWI="}`}).Draw(t, token)
		case token == ":p":
			value = rapid.SampledFrom([]string{`{"S":"p"}`, `{"S":"q"}`, `{"S":"nobody"}`}).Draw(t, token)
		case token == ":s":
			value = rapid.SampledFrom([]string{`{"S":"a"}`, `{"S":"ab"}`, `{"S":"B"}`}).Draw(t, token)
		}
		of = append(of, fmt.Sprintf("%q:%s", token, value))
	}
	slices.Sort(names)
	if len(names) > 0 {
		members += `,"ExpressionAttributeNames":{` + strings.Join(names, ",") + "}"
	}
	if len(of) > 0 {
		members += `,"ExpressionAttributeValues":{` + strings.Join(of, ",") + "}"
	}
	return members
}

// drawCall draws one call.
func drawCall(t *rapid.T, table string) (op, body string) {
	members := fmt.Sprintf(`"TableName":%q`, table)
	op = rapid.SampledFrom([]string{"PutItem", "PutItem", "UpdateItem", "UpdateItem", "DeleteItem", "GetItem", "Query", "BatchGetItem"}).Draw(t, "op")
	condition := ""
	if op == "PutItem" || op == "UpdateItem" || op == "DeleteItem" {
		if rapid.Bool().Draw(t, "conditional") {
			condition = rapid.SampledFrom(conditions()).Draw(t, "condition")
			members += fmt.Sprintf(`,"ConditionExpression":%q`, condition)
		}
		if rapid.Bool().Draw(t, "back") {
			members += `,"ReturnValues":"ALL_OLD"`
		}
	}
	switch op {
	case "PutItem":
		item := drawKey(t)
		for _, name := range []string{"a", "b"} {
			if rapid.IntRange(0, 3).Draw(t, "has") > 0 {
				item += fmt.Sprintf(",%q:%s", name, rapid.SampledFrom(values()).Draw(t, name))
			}
		}
		members = scoped(t, members, condition) + `,"Item":{` + item + "}"
	case "UpdateItem":
		update := rapid.SampledFrom([]string{
			"SET #a = :w", "SET #a = #b", "SET #a = #a + :w", "SET #a = #b - :w", "SET #a = if_not_exists(#a, :w)", "SET #a = if_not_exists(#a, :w) + :v", "ADD #a :w",
			"REMOVE #a", "SET #a = :w REMOVE #b", "SET #a = #b, #b = #a", "ADD #a :w SET #b = :v", "REMOVE #a, #b", "SET #a = :w SET #b = :w", "SET #a", "SET #pk = :w",
		}).Draw(t, "update")
		members += fmt.Sprintf(`,"UpdateExpression":%q`, update)
		members = scoped(t, members, condition, update) + `,"Key":{` + drawKey(t) + "}"
	case "DeleteItem":
		members = scoped(t, members, condition) + `,"Key":{` + drawKey(t) + "}"
	case "GetItem":
		projection := rapid.SampledFrom([]string{"", "#a", "#a.#x", "#b, #pk", "#a, #b"}).Draw(t, "projection")
		if projection != "" {
			members += fmt.Sprintf(`,"ProjectionExpression":%q`, projection)
		}
		members = scoped(t, members, projection) + `,"ConsistentRead":true,"Key":{` + drawKey(t) + "}"
	case "Query":
		members = drawQuery(t, members)
	case "BatchGetItem":
		keys := make([]string, rapid.IntRange(1, 3).Draw(t, "keys"))
		for i := range keys {
			keys[i] = "{" + drawKey(t) + "}"
		}
		members = fmt.Sprintf(`"RequestItems":{%q:{"Keys":[%s]}}`, table, strings.Join(keys, ","))
	}
	return op, "{" + members + "}"
}

func drawQuery(t *rapid.T, members string) string {
	condition := "#pk = :p" + rapid.SampledFrom([]string{
		"", " AND begins_with(#sk, :s)", " AND #sk = :s", " AND #sk > :s", " AND #sk >= :s", " and #sk < :s", " AND #sk <= :s",
	}).Draw(t, "condition")
	members += fmt.Sprintf(`,"KeyConditionExpression":%q`, condition)
	if rapid.Bool().Draw(t, "limited") {
		members += fmt.Sprintf(`,"Limit":%d`, rapid.IntRange(1, 3).Draw(t, "limit"))
	}
	if rapid.Bool().Draw(t, "backwards") {
		members += `,"ScanIndexForward":false`
	}
	return scoped(t, members, condition)
}
