package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kuang/backend/tool"
)

// Forward speaks MCP on in and out until the client leaves or ctx ends, and hands every call to the Kuang at url. The
// answers pass through whole, pictures and fences included. The client keeps its name, and has a session of its own.
func Forward(ctx context.Context, registry *tool.Registry, url, token, version string, in io.Reader, out io.Writer) error {
	f := &forwarder{endpoint: url + "/mcp", http: &http.Client{Transport: bearer(token)}, version: version}
	server := sdk.NewServer(&sdk.Implementation{Name: "kuang", Title: "Kuang", Version: version}, &sdk.ServerOptions{
		Instructions: instructions, Capabilities: &sdk.ServerCapabilities{},
	})
	for _, t := range registry.List() {
		server.AddTool(describe(t), f.handle)
	}
	// Names that are not listed, aliases too, are for the far side to judge.
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if call, ok := req.(*sdk.CallToolRequest); ok {
				return f.handle(ctx, call)
			}
			return next(ctx, method, req)
		}
	})
	defer f.close()
	err := server.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: writeCloser{out}})
	if ctx.Err() != nil {
		return nil // The end that was asked for.
	}
	return err
}

// forwarder is the far connection of one client on stdio; it is made at the first call.
type forwarder struct {
	endpoint, version string
	http              *http.Client

	mu  sync.Mutex // guards far
	far *sdk.ClientSession
}

func (f *forwarder) handle(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	far, err := f.connect(ctx, req)
	if err != nil {
		return nil, err
	}
	return far.CallTool(ctx, &sdk.CallToolParams{Name: req.Params.Name, Arguments: req.Params.Arguments})
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

func (f *forwarder) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.far != nil {
		f.far.Close() // The client has left; nobody is there to be told.
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
