package cli

import (
	"bytes"
	"cmp"
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
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// callCommand is the command call.
type callCommand struct{ *program }

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
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: c.completeWith(inOrder(toolNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd.Context(), args[0], args[1:], raw, asPairs)
		},
	}
	cmd.Flags().StringVar(&raw, "args", "", "all arguments as one `JSON` object; - reads it from standard input")
	return cmd
}

// asPairs returns KEY=VALUE pairs unchanged.
func asPairs(_ operations.KnownTool, pairs []string) ([]string, error) { return pairs, nil }

// run calls a tool. pairsOf returns the KEY=VALUE pairs that the values stand for.
func (c callCommand) run(ctx context.Context, name string, values []string, raw string, pairsOf func(operations.KnownTool, []string) ([]string, error)) error {
	client, err := c.client(ctx)
	if err != nil {
		return err
	}
	tool, err := c.lookup(ctx, client, name)
	if err != nil {
		return err
	}
	server, err := serverNamed(ctx, client, tool.Server)
	if err != nil {
		return err
	}
	if !server.Approved {
		return errNotApproved(server)
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
	s, err := c.session(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	result, err := s.callTool(ctx, tool.Server+"__"+tool.Name, arguments)
	if err != nil {
		return failedCall(err)
	}
	err = c.printResult(result)
	if code := exitCode(0); errors.As(err, &code) && code == exitFailed && needsSignIn(ctx, client, tool.Server) {
		return exitCode(exitDisabled) // the result says how to sign in
	}
	return err
}

// needsSignIn reports whether a person must sign in to a server.
func needsSignIn(ctx context.Context, client *instance.Client, name string) bool {
	server, err := serverNamed(ctx, client, name)
	return err == nil && server.State == "sign_in"
}

// lookup finds the tool with a name. If the name contains a server whose tools
// are not known yet, lookup starts that server.
func (c callCommand) lookup(ctx context.Context, client *instance.Client, name string) (operations.KnownTool, error) {
	path := "/api/tools?name=" + url.QueryEscape(bareName(name))
	var tools []operations.KnownTool
	if err := client.Do(ctx, http.MethodGet, path, nil, &tools); err != nil {
		return operations.KnownTool{}, err
	}
	tool, err := choose(name, tools)
	if fault.KindOf(err) != fault.NotFound {
		return tool, err
	}
	if full := fullName(ctx, client, name); full != "" {
		return c.lookup(ctx, client, full)
	}
	owner, _, _ := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
	server, none := serverNamed(ctx, client, owner)
	switch {
	case none != nil:
		return tool, err
	case !server.Approved:
		return tool, errNotApproved(server)
	case server.ToolCount > 0:
		return tool, cmp.Or(held(ctx, client, name), err)
	}
	if err := client.Do(ctx, http.MethodPost, serverPath(server, "refresh"), nil, nil); err != nil {
		return tool, err
	}
	if err := client.Do(ctx, http.MethodGet, path, nil, &tools); err != nil {
		return tool, err
	}
	if tool, err = choose(name, tools); err != nil {
		err = cmp.Or(held(ctx, client, name), err)
	}
	return tool, err
}

// fullName returns the name SERVER__TOOL for SERVER.TOOL, and "" if no server has such a name.
func fullName(ctx context.Context, client *instance.Client, name string) string {
	if strings.Contains(name, "__") {
		return ""
	}
	for i := 1; i < len(name)-1; i++ {
		if name[i] != '.' {
			continue
		}
		if _, err := serverNamed(ctx, client, name[:i]); err == nil {
			return name[:i] + "__" + name[i+1:]
		}
	}
	return ""
}

// bareName returns the tool's name without its server. The name of a server
// cannot contain "__".
func bareName(name string) string {
	name = strings.TrimPrefix(name, "mcp__")
	if _, tool, ok := strings.Cut(name, "__"); ok {
		return tool
	}
	return name
}

// held returns why a tool is held, and otherwise nil.
func held(ctx context.Context, client *instance.Client, name string) error {
	server, tool, ok := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
	var list operations.TrustList
	if !ok || client.Do(ctx, http.MethodGet, "/api/trust?server="+url.QueryEscape(server), nil, &list) != nil {
		return nil // then there is no such tool
	}
	for _, i := range list.Items {
		if i.Kind == quarantine.Tool && i.Name == tool && i.State != quarantine.Approved {
			return fault.New(fault.Denied, "tool %q of server %q cannot be used (%s), because %s; to review it: agent-discover trust show %s %s", tool, server, fault.CodeHeld, i.Why, server, tool)
		}
	}
	return nil
}

// choose returns the only tool with a name.
func choose(name string, tools []operations.KnownTool) (operations.KnownTool, error) {
	name = strings.TrimPrefix(name, "mcp__")
	var matches []operations.KnownTool
	var names []string
	for _, t := range tools {
		full := t.Server + "__" + t.Name
		if name == full || name == t.Name || t.AppearsAs != "" && (name == t.AppearsAs || name == t.Server+"__"+t.AppearsAs) {
			matches = append(matches, t)
			names = append(names, full)
		}
	}
	switch len(matches) {
	case 0:
		return operations.KnownTool{}, fault.New(fault.NotFound, "there is no tool %q; to search for one: agent-discover find WORDS", name)
	case 1:
		return matches[0], nil
	}
	return operations.KnownTool{}, fault.New(fault.Invalid, "several servers have a tool %q; use one of: %s", name, strings.Join(names, ", "))
}

func (c callCommand) arguments(tool operations.KnownTool, pairs []string, raw string) (json.RawMessage, error) {
	if raw != "" && len(pairs) > 0 {
		return nil, usagef("use either KEY=VALUE or --args, not both")
	}
	if raw == "-" {
		data, err := io.ReadAll(c.in)
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
	if err := json.Unmarshal(result, &r); err != nil || c.json {
		c.printContent(string(result))
	} else {
		for _, block := range r.Content {
			switch block.Type {
			case "text":
				c.printContent(block.Text)
			case "image", "audio":
				c.printf("[%s %s, %d bytes]\n", block.Type, block.MIMEType, base64.StdEncoding.DecodedLen(len(block.Data)))
			case "resource_link":
				c.printf("[resource %s]\n", block.URI)
			case "resource":
				c.printf("[resource %s]\n", jsonrpc.GetString(block.Resource, "uri"))
			default:
				c.printf("[%s]\n", block.Type)
			}
		}
		if len(r.Content) == 0 && r.StructuredContent != nil {
			c.printContent(string(r.StructuredContent))
		}
	}
	if r.IsError {
		return exitCode(exitFailed)
	}
	return nil
}
