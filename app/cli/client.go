// Package cli makes a command of every verb in the registry. It knows no verb by name: flags, help and output come
// from the definitions, and every command is one call to the running Kuang.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"kuang/backend/api"
)

// Client speaks to the running Kuang over its HTTP API.
type Client struct{ url, token string }

// UnreachableError is a Kuang that does not run or does not answer.
type UnreachableError struct{ Cause error }

// Error satisfies the error interface.
func (e *UnreachableError) Error() string {
	return "Kuang does not answer; start it with kuang, or kuang serve: " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Cause }

// Dial returns a client for the Kuang at url, with the token of tokenPath. Nothing is sent yet.
func Dial(url, tokenPath string) (*Client, error) {
	token, err := api.ReadToken(tokenPath)
	if err != nil {
		return nil, &UnreachableError{err}
	}
	return &Client{url: url, token: token}, nil
}

// URL is where the running Kuang listens.
func (c *Client) URL() string { return c.url }

// Token is what it wants with every request.
func (c *Client) Token() string { return c.token }

// Ping asks whether Kuang answers.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.do(ctx, http.MethodGet, "/v1/ping", "", nil)
	return err
}

// Call calls a verb in the name of client and returns the whole reply, a failure's too.
func (c *Client) Call(ctx context.Context, client, verb string, input []byte) (json.RawMessage, error) {
	return c.do(ctx, http.MethodPost, "/v1/"+verb, client, input)
}

func (c *Client) do(ctx context.Context, method, path, client string, body []byte) (json.RawMessage, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("asking Kuang: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(api.HeaderSurface, api.SurfaceCLI)
	if client != "" {
		req.Header.Set(api.HeaderClient, client)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("asking Kuang: %w", ctx.Err())
		}
		return nil, &UnreachableError{err}
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, &UnreachableError{err}
	}
	if !json.Valid(raw) {
		return nil, &UnreachableError{errors.New("what answers there is not Kuang")}
	}
	return raw, nil
}
