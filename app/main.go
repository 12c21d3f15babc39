package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"kuang/app/cli"
	"kuang/assets"
	"kuang/backend/api"
	"kuang/backend/mcp"
	"kuang/backend/tool"
)

// streams are the program's ends to the world.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// flags are those that several commands share.
type flags struct {
	port             int
	headless, window bool
	attach           string
	debugPort        int
	verbose          bool
}

// Main runs the command line and returns the exit status: 0 ok, 1 bad input or a refused or failed verb, 2 Kuang
// cannot be reached, 3 the browser failed, 4 timeout.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := streams{in, out, errOut}
	root, err := command(s)
	if err != nil {
		fmt.Fprintln(errOut, "kuang:", err)
		return 1
	}
	root.SetArgs(withoutWailsFlags(args))
	err = root.ExecuteContext(ctx)
	if err != nil && !cli.Reported(err) {
		fmt.Fprintln(errOut, "kuang:", err)
	}
	return cli.ExitCode(err)
}

func command(s streams) (*cobra.Command, error) {
	var f flags
	root := &cobra.Command{
		Use:           "kuang",
		Short:         "A control panel and a local agent API around one Chromium",
		Long:          "kuang opens the panel. The agent API listens on loopback; its verbs are commands here too.",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDesktop(cmd.Context(), s, f)
		},
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	f.register(root)
	root.AddGroup(&cobra.Group{ID: "kuang", Title: "Kuang:"})
	for _, c := range []*cobra.Command{serveCommand(s), mcpCommand(s), doctorCommand(s), docsCommand(s), fixturesCommand(s), versionCommand(s)} {
		c.GroupID = "kuang"
		root.AddCommand(c)
	}
	registry, err := listing()
	if err != nil {
		return nil, err
	}
	cli.AddVerbs(root, registry, dial)
	return root, nil
}

func (f *flags) register(c *cobra.Command) {
	c.Flags().IntVar(&f.port, "port", portFromSettings, "port of the API; 0 takes a free one; without it the settings decide")
	c.Flags().Lookup("port").DefValue = ""
	c.Flags().BoolVar(&f.headless, "headless", false, "run the browser without a window")
	c.Flags().BoolVar(&f.window, "window", false, "run the browser with a window")
	c.Flags().StringVar(&f.attach, "cdp", "", "attach to a running browser at this address instead of starting one")
	c.Flags().IntVar(&f.debugPort, "debug-port", 0, "drive the browser over this loopback port instead of the pipe; -1 takes a free one")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "log more")
	c.MarkFlagsMutuallyExclusive("headless", "window")
}

// open builds the graph that the flags ask for. The browser has a window where a window can open and the person, or the
// settings, want one; a server without --window has none.
func (f *flags) open(s streams, windowByDefault bool) (*App, error) {
	level := slog.LevelInfo
	if f.verbose {
		level = slog.LevelDebug
	}
	headless := f.headless || !f.window && !windowByDefault
	return New(Config{
		Env: os.Getenv, Port: f.port, Headless: headless, Attach: f.attach, DebugPort: f.debugPort,
		Log: slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: level})),
	})
}

func runDesktop(ctx context.Context, s streams, f flags) error {
	if !hasDesktop || !hasDisplay() {
		return errors.New("no window can open here; kuang serve runs the API without one, kuang doctor says what is missing")
	}
	a, err := f.open(s, true)
	if err != nil {
		return err
	}
	return closeAfter(a, desktop(ctx, a))
}

func serveCommand(s streams) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "serve", Args: cobra.NoArgs,
		Short: "Run the agent API without the panel; prints one JSON line when ready",
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := f.open(s, false)
			if err != nil {
				return err
			}
			return serve(cmd.Context(), a, s.out)
		},
	}
	f.register(c)
	return c
}

func mcpCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "mcp", Args: cobra.NoArgs,
		Short: "Speak MCP on stdin and stdout, over the running Kuang or a headless one of its own",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveMCP(cmd.Context(), s)
		},
	}
}

func doctorCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Args: cobra.NoArgs, Short: "Check what Kuang needs, one line each with the fix",
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := openHome(os.Getenv)
			if err != nil {
				return err
			}
			if !doctor(cmd.Context(), h, os.Getenv, s.out) {
				return cli.ErrReported
			}
			return nil
		},
	}
}

func docsCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "docs", Args: cobra.NoArgs, Short: "Print the reference of the verbs as Markdown",
		RunE: func(*cobra.Command, []string) error {
			registry, err := listing()
			if err != nil {
				return err
			}
			_, err = io.WriteString(s.out, tool.Markdown(registry))
			return err
		},
	}
}

func versionCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Args: cobra.NoArgs, Short: "Print the version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.out, "kuang", Version())
			return err
		},
	}
}

// headerTimeout bounds a client that does not finish its request to the sample pages.
const headerTimeout = 5 * time.Second

func fixturesCommand(s streams) *cobra.Command {
	var port int
	c := &cobra.Command{
		Use: "fixtures", Args: cobra.NoArgs, Short: "Serve the bundled sample pages on loopback; prints their address",
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
			if err != nil {
				return fmt.Errorf("serving the sample pages: %w", err)
			}
			fmt.Fprintf(s.out, "http://%s\n", l.Addr())
			server := &http.Server{Handler: http.FileServerFS(assets.Fixtures()), ReadHeaderTimeout: headerTimeout}
			stop := context.AfterFunc(cmd.Context(), func() { server.Close() })
			defer stop()
			if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		},
	}
	c.Flags().IntVar(&port, "port", 0, "port; 0 takes a free one")
	return c
}

// serveMCP speaks MCP on the streams. The calls go to the Kuang that runs on this data directory; where none runs, a
// headless one lives as long as the client.
func serveMCP(ctx context.Context, s streams) error {
	registry, err := listing()
	if err != nil {
		return err
	}
	if client, err := dial(); err == nil && client.Ping(ctx) == nil {
		return mcp.Forward(ctx, registry, client.URL(), client.Token(), Version(), s.in, s.out)
	}
	f := flags{port: 0}
	a, err := f.open(s, false)
	if err != nil {
		return err
	}
	if err := a.Start(ctx); err != nil {
		return closeAfter(a, err)
	}
	return closeAfter(a, mcp.ServeStdio(ctx, a.registry, a.pipeline.Call, Version(), s.in, s.out))
}

// dial finds the running Kuang of the data directory.
func dial() (*cli.Client, error) {
	h, err := openHome(os.Getenv)
	if err != nil {
		return nil, err
	}
	e, err := h.endpoint()
	if err != nil {
		return nil, &cli.UnreachableError{Cause: err}
	}
	return cli.Dial(e.URL, h.path(api.TokenFile))
}
