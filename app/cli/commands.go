package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kuang/backend/tool"
)

// Connect finds the running Kuang. It is asked when a command runs, not when it is built.
type Connect func() (*Client, error)

// caller is what the commands share: how to reach Kuang and how to print.
type caller struct {
	connect Connect
	name    string // the client's name, under which a session and its tabs are kept between commands
	json    bool
}

// AddVerbs adds the command call and a command for every verb of the registry to root.
func AddVerbs(root *cobra.Command, registry *tool.Registry, connect Connect) {
	root.AddGroup(&cobra.Group{ID: "verbs", Title: "Verbs, over the running Kuang:"})
	root.AddCommand(callCommand(connect))
	for _, t := range registry.List() {
		root.AddCommand(verbCommand(t, connect))
	}
}

func callCommand(connect Connect) *cobra.Command {
	c := &caller{connect: connect}
	command := &cobra.Command{
		Use: "call VERB [JSON]", GroupID: "verbs", Args: cobra.RangeArgs(1, 2),
		Short:   "Call a verb with a JSON object; - reads it from standard input",
		Example: `  kuang call navigate '{"url":"https://example.com"}'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			input := []byte("{}")
			if len(args) == 2 {
				input = []byte(args[1])
			}
			if len(args) == 2 && args[1] == "-" {
				var err error
				if input, err = io.ReadAll(io.LimitReader(cmd.InOrStdin(), tool.MaxBody+1)); err != nil {
					return fmt.Errorf("reading standard input: %w", err)
				}
			}
			return c.call(cmd, args[0], input)
		},
	}
	c.register(command)
	return command
}

func verbCommand(t tool.Tool, connect Connect) *cobra.Command {
	c := &caller{connect: connect}
	inputs := newInputs(t)
	command := &cobra.Command{
		Use: t.Name, Aliases: t.Aliases, GroupID: "verbs", Args: cobra.NoArgs,
		Short: t.Summary, Long: t.Description,
		RunE: func(cmd *cobra.Command, _ []string) error {
			input, err := json.Marshal(inputs.given)
			if err != nil {
				return fmt.Errorf("writing the input: %w", err)
			}
			return c.call(cmd, t.Name, input)
		},
	}
	inputs.register(command)
	c.register(command)
	return command
}

func (c *caller) register(command *cobra.Command) {
	command.Flags().BoolVar(&c.json, "json", false, "print the whole answer as JSON")
	command.Flags().StringVar(&c.name, "client", "cli", "name of the client whose session this is")
}

func (c *caller) call(cmd *cobra.Command, name string, input []byte) error {
	client, err := c.connect()
	if err != nil {
		return err
	}
	raw, err := client.Call(cmd.Context(), c.name, name, input)
	if err != nil {
		return err
	}
	return report(cmd, raw, c.json)
}
