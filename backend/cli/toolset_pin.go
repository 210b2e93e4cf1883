package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/base/textdiff"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// describeDrift describes how a tool differs from its pinned definition: removed words in [-…-],
// added ones in {+…+}.
func describeDrift(d toolset.Drift) string {
	var out strings.Builder
	if !d.Known {
		out.WriteString("    It was not accepted here before; this is all of it:\n")
	}
	for _, part := range []struct {
		name  string
		parts []textdiff.Part
	}{
		{"title", d.Title},
		{"description", d.Description},
		{"arguments", d.Schema},
		{"result", d.Output},
		{"hints", d.Hints},
		{"other parts", d.Other},
	} {
		if len(part.parts) == 0 {
			continue
		}
		text := safetext.Prose(marked(part.parts))
		fmt.Fprintf(&out, "    %s:\n      %s\n", part.name, strings.ReplaceAll(text, "\n", "\n      "))
	}
	return out.String()
}

func marked(parts []textdiff.Part) string {
	var out strings.Builder
	for _, p := range parts {
		switch p.Kind {
		case textdiff.Remove:
			out.WriteString("[-" + p.Text + "-]")
		case textdiff.Add:
			out.WriteString("{+" + p.Text + "+}")
		default:
			out.WriteString(p.Text)
		}
	}
	return out.String()
}

func (c toolsetCommands) pin() *cobra.Command {
	return &cobra.Command{
		Use: "pin NAME [TOOL…]", Short: "Show how tools have changed, and accept them as they are now", Args: cobra.MinimumNArgs(1),
		Long: `Show how tools of a toolset have changed since they were accepted, all of them unless some
are named, ask on the terminal, and accept them as they were shown.

Only a person may accept a change. So the question is asked on the controlling terminal,
whatever standard input is.`,
		ValidArgsFunction: c.p.completeWith(inOrder(toolsetNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			return c.pinTools(cmd.Context(), client, args[0], args[1:])
		},
	}
}

type pinnedTool struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Hash   string `json:"hash"`
}

func (c toolsetCommands) pinTools(ctx context.Context, client *instance.Client, name string, tools []string) error {
	view, err := c.fetch(ctx, client, name)
	if err != nil {
		return err
	}
	var chosen []catalog.Key
	for _, tool := range tools {
		key, ok := resolve.Among(toolsetKeys(view), tool)
		if !ok {
			return fault.New(fault.NotFound, "the toolset %s does not have the tool %s", name, tool)
		}
		chosen = append(chosen, key)
	}
	var shown strings.Builder
	pins := []pinnedTool{}
	for _, t := range view.Tools {
		if t.Drift == nil || len(tools) > 0 && !slices.Contains(chosen, catalog.Key{Server: t.Server, Tool: t.Tool}) {
			continue
		}
		fmt.Fprintf(&shown, "  %s\n%s", safetext.Visible(t.Server+"."+t.Tool), describeDrift(*t.Drift))
		pins = append(pins, pinnedTool{t.Server, t.Tool, t.Drift.Hash})
	}
	if len(pins) == 0 {
		for _, t := range view.Tools {
			if t.State == toolset.Waiting && t.Held != "" {
				c.p.notef("%s.%s: %s\n", safetext.Visible(t.Server), safetext.Visible(t.Tool), safetext.Visible(t.Held))
			}
		}
		return c.p.respond(map[string]int{"pinned": 0}, "No tool has changed.\n")
	}
	err = c.p.decide(ctx, client, shown.String(), fmt.Sprintf("Accept %s as shown?", counted(len(pins), "tool", "tools")),
		"nothing was pinned", func(person *instance.Client) error {
			return person.Do(ctx, http.MethodPost, toolsetPath(name, "pin"), map[string]any{"tools": pins}, nil)
		})
	if err != nil {
		return err
	}
	return c.p.respond(map[string]int{"pinned": len(pins)}, "Pinned %s\n", counted(len(pins), "tool", "tools"))
}

// decide asks a question on the terminal. If the person agrees, it calls do with a client that acts for that person. If
// the person declines or there is no terminal, it returns an error whose message begins with otherwise.
func (p *program) decide(ctx context.Context, client *instance.Client, text, question, otherwise string,
	do func(*instance.Client) error,
) error {
	yes, err := p.askPerson(ctx, text, question)
	switch {
	case errors.Is(err, errNoPerson):
		return fault.New(fault.Denied, "%s: only a person may do that; run this command in a terminal, or use the dashboard", otherwise)
	case err != nil:
		return err
	case !yes:
		return fault.New(fault.Denied, "%s", otherwise)
	}
	return decided(ctx, client, do)
}

func (c toolsetCommands) approve() *cobra.Command {
	return &cobra.Command{
		Use: "approve NAME", Short: "Show a toolset that an agent has built, and approve it", Args: cobra.ExactArgs(1),
		ValidArgsFunction: c.p.completeWith(inOrder(toolsetNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			client, err := c.p.client(ctx)
			if err != nil {
				return err
			}
			view, err := c.fetch(ctx, client, args[0])
			if err != nil {
				return err
			}
			if !view.Approved {
				err = c.p.decide(ctx, client, describeToolset(view), "Approve the toolset "+view.Name+"?", "the toolset was not approved",
					func(person *instance.Client) error {
						return person.Do(ctx, http.MethodPost, toolsetPath(view.Name, "approve"), map[string]string{"hash": view.Hash}, nil)
					})
			}
			if err != nil {
				return err
			}
			return c.p.respond(map[string]string{"approved": view.Name}, "Approved the toolset %s\n", view.Name)
		},
	}
}
