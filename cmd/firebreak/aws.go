package main

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"

	"firebreak/pipeline/kafka"
)

// awsCredentials returns the source of AWS credentials: the usual places, in the usual order (environment, shared files, web
// identity, container, instance). They are looked for at the first call, kept, and renewed before they end.
func awsCredentials() kafka.AWSCredentials {
	var mu sync.Mutex // guards provider; connections of several clients ask at once
	var provider aws.CredentialsProvider
	find := func(ctx context.Context) (aws.CredentialsProvider, error) {
		mu.Lock()
		defer mu.Unlock()
		if provider == nil {
			loaded, err := awsconfig.LoadDefaultConfig(ctx)
			if err != nil {
				return nil, err
			}
			provider = loaded.Credentials
		}
		return provider, nil
	}
	return func(ctx context.Context) (access, secret, session string, err error) {
		from, err := find(ctx)
		if err != nil {
			return "", "", "", err
		}
		c, err := from.Retrieve(ctx)
		return c.AccessKeyID, c.SecretAccessKey, c.SessionToken, err
	}
}

// awsConfig is the configuration of AWS from its usual places, in a region; empty = as it is configured.
func awsConfig(ctx context.Context, region string) (aws.Config, error) {
	var options []func(*awsconfig.LoadOptions) error
	if region != "" {
		options = append(options, awsconfig.WithRegion(region))
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return cfg, oneLine(err)
	}
	return cfg, nil
}
