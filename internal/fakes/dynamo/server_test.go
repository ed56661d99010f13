package dynamo

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ask sends one call and gives the answer's status, error type and body.
func ask(t *testing.T, via http.RoundTripper, endpoint, op, body string) (status int, kind string, said map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", prefix+op)
	req.Header.Set("X-Amz-Date", time.Now().UTC().Format("20060102T150405Z"))
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=id/20261130/eu-west-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=0")
	resp, err := via.RoundTrip(req)
	if err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &said); err != nil {
		t.Fatalf("%s: %s: %v", op, b, err)
	}
	if full, is := said["__type"].(string); is {
		kind = full[strings.IndexByte(full, '#')+1:]
	}
	return resp.StatusCode, kind, said
}

const create = `{"TableName":"t","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],
"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]}`

func newServer(t *testing.T) *Server {
	t.Helper()
	s := New(time.Now)
	if status, kind, _ := ask(t, s, "http://x/", "CreateTable", create); status != http.StatusOK {
		t.Fatal(kind)
	}
	return s
}

// TestRefusesLoudly: what the fake does not know is an error that DynamoDB does not have.
func TestRefusesLoudly(t *testing.T) {
	s := newServer(t)
	for what, call := range map[string][2]string{
		"an operation":     {"Scan", `{"TableName":"t"}`},
		"a member":         {"GetItem", `{"TableName":"t","Key":{"pk":{"S":"a"},"sk":{"S":"b"}},"AttributesToGet":["a"]}`},
		"a plain name":     {"GetItem", `{"TableName":"t","Key":{"pk":{"S":"a"},"sk":{"S":"b"}},"ProjectionExpression":"version"}`},
		"a function":       {"DeleteItem", `{"TableName":"t","Key":{"pk":{"S":"a"},"sk":{"S":"b"}},"ConditionExpression":"attribute_type(#a, :b)","ExpressionAttributeNames":{"#a":"a"},"ExpressionAttributeValues":{":b":{"S":"S"}}}`},
		"a comparator":     {"DeleteItem", `{"TableName":"t","Key":{"pk":{"S":"a"},"sk":{"S":"b"}},"ConditionExpression":"#a IN (:b)","ExpressionAttributeNames":{"#a":"a"},"ExpressionAttributeValues":{":b":{"S":"S"}}}`},
		"a type":           {"PutItem", `{"TableName":"t","Item":{"pk":{"S":"a"},"sk":{"S":"b"},"c":{"BS":["YQ=="]}}}`},
		"a clause":         {"UpdateItem", `{"TableName":"t","Key":{"pk":{"S":"a"},"sk":{"S":"b"}},"UpdateExpression":"DELETE #a :b","ExpressionAttributeNames":{"#a":"a"},"ExpressionAttributeValues":{":b":{"SS":["x"]}}}`},
		"values to return": {"PutItem", `{"TableName":"t","Item":{"pk":{"S":"a"},"sk":{"S":"b"}},"ReturnValues":"UPDATED_NEW"}`},
		"a billing":        {"CreateTable", strings.Replace(create, "PAY_PER_REQUEST", "PROVISIONED", 1)},
	} {
		if status, kind, said := ask(t, s, "http://x/", call[0], call[1]); status != 400 || kind != Unknown {
			t.Errorf("%s: %d %s %v", what, status, kind, said)
		}
	}
}

// TestOverASocket: it answers there as it does without, and a lost reply is a broken connection.
func TestOverASocket(t *testing.T) {
	s := newServer(t)
	socket := httptest.NewServer(s)
	defer socket.Close()
	get := `{"TableName":"t","Key":{"pk":{"S":"a"},"sk":{"S":"b"}}}`
	put := `{"TableName":"t","Item":{"pk":{"S":"a"},"sk":{"S":"b"},"n":{"N":"01.50"}}}`
	s.Break(Fault{Op: "PutItem", Lose: LoseReply})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, socket.URL, strings.NewReader(put))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", prefix+"PutItem")
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=id")
	if resp, err := http.DefaultTransport.RoundTrip(req); err == nil {
		resp.Body.Close()
		t.Errorf("status %d of a call whose reply is lost", resp.StatusCode)
	}
	_, _, over := ask(t, http.DefaultTransport, socket.URL, "GetItem", get)
	_, _, without := ask(t, s, "http://x/", "GetItem", get)
	want := map[string]any{"Item": map[string]any{"pk": map[string]any{"S": "a"}, "sk": map[string]any{"S": "b"}, "n": map[string]any{"N": "1.5"}}}
	if diff := cmp.Diff([]any{want, want}, []any{over, without}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var got []string
	for _, c := range s.Calls() {
		got = append(got, c.Op+" "+c.Error)
	}
	if diff := cmp.Diff([]string{"CreateTable ", "PutItem ", "GetItem ", "GetItem "}, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestLimit: a partition key takes so many units in a second of the clock, and others are not touched by it.
func TestLimit(t *testing.T) {
	now := time.Unix(1000, 0)
	s := New(func() time.Time { return now })
	ask(t, s, "http://x/", "CreateTable", create)
	s.Limit(2, 3)
	read := func(key string, more string) string {
		_, kind, _ := ask(t, s, "http://x/", "GetItem", `{"TableName":"t","Key":{"pk":{"S":"`+key+`"},"sk":{"S":"b"}}`+more+`}`)
		return kind
	}
	for i := range 4 { // half a unit each
		if kind := read("a", ""); kind != "" {
			t.Errorf("read %d: %s", i, kind)
		}
	}
	if kind := read("a", ""); kind != Throttled {
		t.Errorf("a read above the limit: %q", kind)
	}
	if kind := read("b", `,"ConsistentRead":true`); kind != "" {
		t.Errorf("a read of another key: %s", kind)
	}
	now = now.Add(time.Second)
	if kind := read("a", ""); kind != "" {
		t.Errorf("a read in the next second: %s", kind)
	}
	if got, want := s.Units(), (Units{Read: 3.5}); got != want {
		t.Errorf("units %+v, want %+v", got, want)
	}
}

// TestNumbers holds the one form of numbers, and what is none.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "00012": "12", "1.500": "1.5", "1e3": "1000", "1E-3": "0.001", "-2.5e1": "-25", "18446744073709551615": "18446744073709551615",
		".5": "0.5", "5.": "5", "1e125": "1" + strings.Repeat("0", 125), "9.99e125": "999" + strings.Repeat("0", 123), "1e126": "", "1e-130": "0." + strings.Repeat("0", 129) + "1", "1e-131": "",
		"": "", "x": "", "1e": "", "0x1": "", "1_000": "", "NaN": "", "1" + strings.Repeat("1", 37): "1" + strings.Repeat("1", 37), strings.Repeat("1", 39): "",
	} {
		got, err := normal(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]int{"0": 1, "7": 2, "12": 2, "123": 3, "-123": 4, "1000": 2, "0.001": 2, "18446744073709551615": 11} {
		if got := numberSize(text); got != want {
			t.Errorf("the size of %s: %d, want %d", text, got, want)
		}
	}
}

// TestBatchLeavesKeysOut: what a busy partition key does not give now is unprocessed, and may be asked for again as it was said.
func TestBatchLeavesKeysOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		s.Limit(1, 0)
		const busy, quiet = `{"pk":{"S":"busy"},"sk":{"S":"x"}}`, `{"pk":{"S":"quiet"},"sk":{"S":"x"}}`
		ask(t, s, "http://x/", "GetItem", `{"TableName":"t","ConsistentRead":true,"Key":`+busy+`}`)
		status, _, said := ask(t, s, "http://x/", "BatchGetItem", `{"RequestItems":{"t":{"ConsistentRead":true,"Keys":[`+quiet+`,`+busy+`]}}}`)
		left, err := json.Marshal(said["UnprocessedKeys"])
		if err != nil || status != http.StatusOK || string(left) != `{"t":{"ConsistentRead":true,"Keys":[`+busy+`]}}` {
			t.Errorf("%d, %s, %v", status, left, err)
		}
		if status, kind, _ := ask(t, s, "http://x/", "BatchGetItem", `{"RequestItems":`+string(left)+`}`); status != 400 || kind != Throttled {
			t.Errorf("%d %s where nothing can be given", status, kind)
		}
		time.Sleep(time.Second)
		if _, _, said = ask(t, s, "http://x/", "BatchGetItem", `{"RequestItems":`+string(left)+`}`); len(said["UnprocessedKeys"].(map[string]any)) > 0 {
			t.Errorf("a second later: %v", said)
		}
	})
}
