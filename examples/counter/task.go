package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"firebreak/routing"
)

// foldTask folds the pieces that a task of firebreak names. The document comes with it, so that nobody waits for this process as for a
// client.
func foldTask(ctx context.Context, api *dynamodb.Client, table string, in io.Reader) error {
	var task struct {
		Do       string
		Salt     struct{ Key string }
		Document json.RawMessage
	}
	if err := json.NewDecoder(in).Decode(&task); err != nil {
		return err
	}
	if task.Do != "fold" {
		return fmt.Errorf("%q: want fold", task.Do)
	}
	key, err := routing.Unescape(task.Salt.Key)
	if err != nil {
		return err
	}
	d, err := routing.ParseDocument(task.Document)
	if err != nil {
		return err
	}
	routes, err := routing.NewTable(d)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	return (&counters{api: api, table: table}).foldBy(ctx, routes, key)
}
