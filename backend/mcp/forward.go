package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kuang/backend/tool"
	"kuang/backend/verb"
)

// Forward speaks MCP on in and out until the client leaves or ctx ends, and hands every call to the Kuang at url. The
// answers pass through whole, pictures and fences included. The client keeps its name, and has a session of its own.
func Forward(ctx context.Context, registry *tool.Registry, url, token, version string, in io.Reader, out io.Writer) error {
	f := &forwarder{endpoint: url + "/mcp", http: &http.Client{Transport: bearer(token)}, version: version}
	defer f.close(nil)
	return overStdio(ctx, offer(registry, version, f.handle), in, out)
}

// forwarder is the far connection of one client on stdio. It is made at the first call, and again after it was lost.
type forwarder struct {
	endpoint, version string
	http              *http.Client

	mu  sync.Mutex // guards far; every call reads it
	far *sdk.ClientSession
}

// handle passes one call on. A call that was lost on the way is not sent twice: it may have done its work.
func (f *forwarder) handle(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	far, err := f.connect(ctx, req)
	if err != nil {
		return unreachable(err), nil
	}
	answer, err := far.CallTool(ctx, &sdk.CallToolParams{Name: req.Params.Name, Arguments: req.Params.Arguments})
	var refused *jsonrpc.Error
	if err == nil || ctx.Err() != nil || errors.As(err, &refused) {
		return answer, err
	}
	f.close(far)
	return unreachable(err), nil
}

// unreachable is the answer to a call that did not come back.
func unreachable(err error) *sdk.CallToolResult {
	return result(tool.Refuse(&verb.Error{
		Code: verb.Unreachable, Message: "Kuang does not answer; it was closed, or its token changed.",
		Hint: "Start Kuang, then restart this MCP server.", Cause: err,
	}))
}

func (f *forwarder) connect(ctx context.Context, req *sdk.CallToolRequest) (*sdk.ClientSession, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.far != nil {
		return f.far, nil
	}
	name := "mcp"
	if info := req.ClientInfo(); info != nil && info.Name != "" {
		name = info.Name
	}
	// The connection outlives the call that was the first.
	far, err := sdk.NewClient(&sdk.Implementation{Name: name, Version: f.version}, nil).
		Connect(context.WithoutCancel(ctx), &sdk.StreamableClientTransport{Endpoint: f.endpoint, HTTPClient: f.http, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return nil, fmt.Errorf("reaching Kuang at %s: %w", f.endpoint, err)
	}
	f.far = far
	return far, nil
}

// close ends the far connection: the given one, or whichever there is.
func (f *forwarder) close(lost *sdk.ClientSession) {
	f.mu.Lock()
	far := f.far
	if lost == nil || far == lost {
		f.far = nil
	} else {
		far = nil // Another call has connected anew already.
	}
	f.mu.Unlock()
	if far != nil {
		far.Close() // Nobody is left to be told.
	}
}

// bearer adds the token to every request.
type bearer string

// RoundTrip satisfies http.RoundTripper.
func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(req)
}
