package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

type callCommand struct{ p *program }

func (c callCommand) command() *cobra.Command {
	var raw string
	cmd := &cobra.Command{
		Use:   "call TOOL [KEY=VALUE…]",
		Short: "Call a tool",
		Long: `Call a tool. TOOL is SERVER__TOOL, as "agent-discover find" prints it, or the tool's own
name if only one server has such a tool.

The tool's schema decides whether a VALUE is text, a number, true or false, or JSON. For
an array, use JSON or repeat the KEY. With --json, the complete result is printed.

If the configuration disables the tool, or a person must sign in to the server first, the
command ends at once with the exit code 4 and says why. A question of the server waits for its answer in the window or the tray;
if neither runs, the server is told so at once.`,
		Example: "  agent-discover call everything__echo message=hello\n" +
			"  agent-discover call memory__create_entities --args '{\"entities\":[]}'\n" +
			"  echo '{\"path\":\"notes.txt\"}' | agent-discover call read_text_file --args -",
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: c.p.completeWith(inOrder(toolNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd.Context(), args[0], args[1:], raw, asPairs)
		},
	}
	cmd.Flags().StringVar(&raw, "args", "", "all arguments as one `JSON` object; - reads it from standard input")
	return cmd
}

// asPairs returns KEY=VALUE pairs unchanged.
func asPairs(_ operations.KnownTool, pairs []string) ([]string, error) { return pairs, nil }

// run calls the tool to which name refers. The arguments of the call are the JSON in raw or, if raw is empty, the
// KEY=VALUE pairs that pairsOf makes of values.
func (c callCommand) run(ctx context.Context, name string, values []string, raw string,
	pairsOf func(operations.KnownTool, []string) ([]string, error),
) error {
	client, err := c.p.client(ctx)
	if err != nil {
		return err
	}
	tool, err := c.lookup(ctx, client, name)
	if err != nil {
		return err
	}
	if tool.Disabled != "" {
		return fault.New(fault.Denied, "%s", tool.Disabled)
	}
	pairs, err := pairsOf(tool, values)
	if err != nil {
		return err
	}
	arguments, err := c.arguments(tool, pairs, raw)
	if err != nil {
		return err
	}
	s, err := c.p.session(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	result, err := s.callTool(ctx, tool.Server+"__"+tool.Name, arguments)
	if err != nil {
		return failedCall(err)
	}
	err = c.printResult(result)
	if code := exitCode(0); errors.As(err, &code) && code == exitFailed {
		if now, gone := serverNamed(ctx, client, tool.Server); gone == nil && now.State == "sign_in" {
			return exitCode(exitDisabled) // the result says how to sign in
		}
	}
	return err
}

// resolved asks the hub to which tool a name refers.
func resolved(ctx context.Context, client *instance.Client, name string) (tool operations.ResolvedTool, err error) {
	err = client.Do(ctx, http.MethodGet, "/api/tools/resolve?name="+url.QueryEscape(name), nil, &tool)
	if fault.KindOf(err) == fault.NotFound {
		err = searchable(err)
	}
	return tool, err
}

// searchable returns err, which says that there is no tool of some name, with the command that searches for tools.
func searchable(err error) error {
	text, separator := fault.MessageOf(err), "; to"
	if strings.HasSuffix(text, "?") { // it ends with the question whether a similar name is meant
		separator = " To"
	}
	return fault.New(fault.NotFound, "%s%s search for one: agent-discover find WORDS", text, separator)
}

// lookup returns the tool to which a name refers. If the tools of its server are not known yet, lookup starts the
// server.
func (c callCommand) lookup(ctx context.Context, client *instance.Client, name string) (known operations.KnownTool, err error) {
	tool, err := resolved(ctx, client, name)
	if err == nil && !tool.Known && tool.Held == "" {
		tool, err = c.started(ctx, client, name, tool)
	}
	switch {
	case err != nil:
		return known, err
	case tool.Held != "":
		return known, approvable(&fault.Error{Kind: fault.Denied, Code: tool.Code, Message: tool.Held}, tool.Server)
	case !tool.Known:
		return known, searchable(resolve.Unlisted(tool.Server, "tool", tool.Tool, tool.DidYouMean, nil))
	}
	var tools []operations.KnownTool
	err = client.Do(ctx, http.MethodGet, "/api/tools?server="+url.QueryEscape(tool.Server)+"&name="+url.QueryEscape(tool.Tool), nil, &tools)
	if err == nil && len(tools) == 0 {
		err = fault.New(fault.NotFound, "tool %q of server %q was removed a moment ago", tool.Tool, tool.Server)
	}
	if err != nil {
		return known, err
	}
	return tools[0], nil
}

// started starts the server of a tool and then resolves the name of the tool again. If the tools of the server are
// known already, it returns tool unchanged.
func (c callCommand) started(ctx context.Context, client *instance.Client, name string,
	tool operations.ResolvedTool,
) (operations.ResolvedTool, error) {
	server, err := serverNamed(ctx, client, tool.Server)
	if err != nil || server.ToolCount > 0 {
		return tool, err
	}
	if err := client.Do(ctx, http.MethodPost, serverPath(server, "refresh"), nil, nil); err != nil {
		return tool, err
	}
	return resolved(ctx, client, name)
}

func (c callCommand) arguments(tool operations.KnownTool, pairs []string, raw string) (json.RawMessage, error) {
	if raw != "" && len(pairs) > 0 {
		return nil, usagef("use either KEY=VALUE or --args, not both")
	}
	if raw == "-" {
		data, err := io.ReadAll(c.p.in)
		if err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "could not read standard input")
		}
		return object(data)
	}
	if raw != "" {
		return object([]byte(raw))
	}
	return typed(tool, pairs)
}

func object(raw []byte) (json.RawMessage, error) {
	if !jsonrpc.Valid(raw) || bytes.TrimSpace(raw)[0] != '{' {
		return nil, fault.New(fault.Invalid, "the arguments are not a JSON object")
	}
	return raw, nil
}

func failedCall(err error) error {
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) {
		return fault.New(fault.Failed, "%s", rpc.Message)
	}
	return fault.Wrap(err, fault.Failed, "the call got no answer: %s", err)
}

// printResult prints a result for a person, or unchanged with --json.
func (c callCommand) printResult(result json.RawMessage) error {
	var r struct {
		Content []struct {
			Type     string          `json:"type"`
			Text     string          `json:"text"`
			Data     string          `json:"data"`
			MIMEType string          `json:"mimeType"`
			URI      string          `json:"uri"`
			Resource json.RawMessage `json:"resource"`
		} `json:"content"`
		StructuredContent json.RawMessage `json:"structuredContent"`
		IsError           bool            `json:"isError"`
	}
	if err := json.Unmarshal(result, &r); err != nil || c.p.json {
		c.p.printContent(string(result))
	} else {
		for _, block := range r.Content {
			switch block.Type {
			case "text":
				c.p.printContent(block.Text)
			case "image", "audio":
				c.p.printf("[%s %s, %d bytes]\n", block.Type, block.MIMEType, base64.StdEncoding.DecodedLen(len(block.Data)))
			case "resource_link":
				c.p.printf("[resource %s]\n", block.URI)
			case "resource":
				c.p.printf("[resource %s]\n", jsonrpc.GetString(block.Resource, "uri"))
			default:
				c.p.printf("[%s]\n", block.Type)
			}
		}
		if len(r.Content) == 0 && r.StructuredContent != nil {
			c.p.printContent(string(r.StructuredContent))
		}
	}
	if r.IsError {
		return exitCode(exitFailed)
	}
	return nil
}
