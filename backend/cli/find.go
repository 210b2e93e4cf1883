package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// session is an MCP session of the command line with the hub. What an agent
// gets, a person gets here: the same tool, the same bytes.
type session struct {
	conn  *jsonrpc.Conn
	close func()
}

func (p *program) session(ctx context.Context) (*session, error) {
	info, err := p.hub(ctx)
	if err != nil {
		return nil, err
	}
	stream, err := companion.Dial(ctx, info, p.version, rand.Text())
	if err != nil {
		return nil, err
	}
	conn := jsonrpc.NewConn(stream, stream, silent{}, jsonrpc.Options{LineLimit: 512 << 20})
	go func() { _ = conn.Run(ctx) }() // ends when the stream is closed
	s := &session{conn: conn, close: func() { _ = stream.Close() }}
	params, err := json.Marshal(map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": struct{}{},
		"clientInfo": map[string]string{"name": "agent-discover-cli", "version": p.version},
	})
	if err == nil {
		_, err = conn.Call(ctx, jsonrpc.Call{Method: "initialize", Params: params})
	}
	if err == nil {
		err = conn.Notify("notifications/initialized", nil)
	}
	if err != nil {
		s.close()
		return nil, fault.Wrap(err, fault.Unavailable, "the hub does not answer; see: agent-discover doctor")
	}
	return s, nil
}

// callTool calls a tool and returns its result as it came.
func (s *session) callTool(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	var line bytes.Buffer // arguments as a person wrote them may go over several lines
	if err := json.Compact(&line, arguments); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "the arguments are not JSON")
	}
	params := jsonrpc.Set(jsonrpc.Set(nil, "name", jsonrpc.Quote(name)), "arguments", line.Bytes())
	return s.conn.Call(ctx, jsonrpc.Call{Method: "tools/call", Params: params})
}

// silent is a client that offers nothing.
type silent struct{}

func (silent) Request(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, jsonrpc.NewError(-32601, "Method not found")
}
func (silent) Notification(string, json.RawMessage) {}
func (silent) Bad([]byte, error) *jsonrpc.Error     { return nil }

func (p *program) find() *cobra.Command {
	limit := 5
	cmd := &cobra.Command{
		Use: "find WORDS…", Short: "Find a tool for what you need, as an agent would",
		Example: "  agent-discover find read a text file from disk", Args: words,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := p.session(cmd.Context())
			if err != nil {
				return err
			}
			defer s.close()
			ask, err := json.Marshal(map[string]any{
				"action": "find_tool", "query": strings.Join(args, " "), "limit": limit, "auto_activate": false,
			})
			if err != nil {
				return err
			}
			result, err := s.callTool(cmd.Context(), "registry", ask)
			if err != nil {
				return fault.Wrap(err, fault.Failed, "the search failed: %s", err)
			}
			return p.printFound(cmd.Context(), textOf(result))
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "tools to show")
	return cmd
}

// words wants arguments that say something.
func words(_ *cobra.Command, args []string) error {
	if strings.TrimSpace(strings.Join(args, " ")) == "" {
		return fault.New(fault.Invalid, "say in a few words what is needed")
	}
	return nil
}

// textOf returns the text blocks of a tool's result.
func textOf(result json.RawMessage) string {
	var r struct {
		Content []struct{ Type, Text string } `json:"content"`
	}
	_ = json.Unmarshal(result, &r) // a result of another shape has no text
	var texts []string
	for _, block := range r.Content {
		if block.Type == "text" {
			texts = append(texts, block.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (p *program) printFound(ctx context.Context, text string) error {
	var found struct {
		Found        bool     `json:"found"`
		Confidence   string   `json:"confidence"`
		Score        float64  `json:"score"`
		CallAs       string   `json:"call_as"`
		Description  string   `json:"description"`
		TopScore     float64  `json:"top_score"`
		DidYouMean   []string `json:"did_you_mean"`
		RequiredArgs []struct {
			Name, Type, Description string
		} `json:"required_args"`
		OtherMatches []struct {
			CallAs      string   `json:"call_as"`
			Description string   `json:"description"`
			Score       *float64 `json:"score"`
		} `json:"other_matches"`
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return fault.New(fault.Failed, "%s", text)
	}
	switch {
	case p.json:
		p.output(text)
	case !found.Found:
		p.printMiss(ctx, found.TopScore, found.DidYouMean)
	default:
		name := strings.TrimPrefix(found.CallAs, "mcp__")
		p.printf("%s  (%s, %.2f)\n  %s\n", name, found.Confidence, found.Score, safetext.Clip(firstLine(found.Description), 100))
		for _, a := range found.RequiredArgs {
			p.printf("%s\n", strings.TrimRight(fmt.Sprintf("  %s: %s  %s", a.Name, a.Type, safetext.Clip(firstLine(a.Description), 80)), " "))
		}
		p.printf("  call it with: agent-discover call %s%s\n", name, placeholders(len(found.RequiredArgs), func(i int) string { return found.RequiredArgs[i].Name }))
		for _, m := range found.OtherMatches {
			p.printf("%s", strings.TrimPrefix(m.CallAs, "mcp__"))
			if m.Score != nil { // it and the description are left out of a long answer
				p.printf("  (%.2f)", *m.Score)
			}
			p.printf("\n")
			if m.Description != "" {
				p.printf("  %s\n", safetext.Clip(m.Description, 100))
			}
		}
	}
	if !found.Found {
		return exitCode(exitNotFound)
	}
	return nil
}

func placeholders(n int, name func(int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(" " + name(i) + "=…")
	}
	return b.String()
}
