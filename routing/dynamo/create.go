package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// askEvery is how often a table that is being made is looked at; AWS takes about 10 s.
const askEvery = time.Second

// Table is what Create and Check found.
type Table struct {
	// Created says that it was made by this call.
	Created bool
	// Backups is why point-in-time recovery could not be switched on; nil = it is, or the table was there already.
	Backups error
	// Replicas are the regions of a global table.
	Replicas []string
}

// Create makes a table, billed on demand, with point-in-time recovery, and waits until it may be used. One that is there already is
// checked and left as it is.
func Create(ctx context.Context, api *dynamodb.Client, name string) (Table, error) {
	found, err := Check(ctx, api, name)
	var missing *types.ResourceNotFoundException
	if err == nil || !errors.As(err, &missing) {
		return found, err
	}
	c := newCaller(api, nil)
	_, err = c.do(ctx, writing, "create the table", func(ctx context.Context) error {
		_, err := api.CreateTable(ctx, newTable(name), once)
		return err
	})
	var taken *types.ResourceInUseException // by somebody else, or by a call whose reply was lost
	made := err == nil
	if !made && !errors.As(err, &taken) {
		return Table{}, err
	}
	if found, err = Check(ctx, api, name); err != nil {
		return Table{}, err
	}
	found.Created = made
	_, found.Backups = c.do(ctx, writing, "switch point-in-time recovery on", func(ctx context.Context) error {
		_, err := api.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
			TableName:                        &name,
			PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
		}, once)
		return err
	})
	return found, nil
}

func newTable(name string) *dynamodb.CreateTableInput {
	attribute := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS}
	}
	element := func(name string, kind types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: &name, KeyType: kind}
	}
	return &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{attribute(partitionKey), attribute(sortKey)},
		KeySchema:            []types.KeySchemaElement{element(partitionKey, types.KeyTypeHash), element(sortKey, types.KeyTypeRange)},
	}
}

// Check waits until a table may be used, and says whether it has the keys of this package.
func Check(ctx context.Context, api *dynamodb.Client, name string) (Table, error) {
	c := newCaller(api, nil)
	for {
		var out *dynamodb.DescribeTableOutput
		_, err := c.do(ctx, reading, "look at the table", func(ctx context.Context) (err error) {
			out, err = api.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name}, once)
			return err
		})
		if err != nil {
			return Table{}, err
		}
		switch out.Table.TableStatus {
		case types.TableStatusActive, types.TableStatusUpdating:
			return describe(out.Table)
		case types.TableStatusCreating:
		case types.TableStatusDeleting, types.TableStatusInaccessibleEncryptionCredentials, types.TableStatusArchiving,
			types.TableStatusArchived, types.TableStatusReplicationNotAuthorized:
			return Table{}, fmt.Errorf("table %s: it is %s", name, out.Table.TableStatus)
		}
		if err := sleep(ctx, askEvery); err != nil {
			return Table{}, fmt.Errorf("table %s is still being made: %w", name, err)
		}
	}
}

// describe reads what DynamoDB says of a table.
func describe(d *types.TableDescription) (Table, error) {
	kinds := map[string]types.ScalarAttributeType{}
	for _, a := range d.AttributeDefinitions {
		kinds[aws.ToString(a.AttributeName)] = a.AttributeType
	}
	var has strings.Builder
	for _, k := range d.KeySchema {
		name := aws.ToString(k.AttributeName)
		fmt.Fprintf(&has, " %s %s %s,", name, k.KeyType, kinds[name])
	}
	if want := " pk HASH S, sk RANGE S,"; has.String() != want {
		return Table{}, fmt.Errorf("table %s has the keys%s want%s", aws.ToString(d.TableName), has.String(), want[:len(want)-1])
	}
	var t Table
	for _, r := range d.Replicas {
		t.Replicas = append(t.Replicas, aws.ToString(r.RegionName))
	}
	return t, nil
}
