package cli

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

// missed is the part of the answer of find_tool that suggests other tools if none fits.
type missed struct {
	DidYouMean []string `json:"did_you_mean"`
	Closest    []struct {
		CallAs      string  `json:"call_as"`
		Description string  `json:"description"`
		Score       float64 `json:"score"`
	} `json:"closest"`
}

// printNoMatch reports that no tool fits, and suggests next steps. It does not print
// the hint in the hub's answer, which is meant for agents.
func (c searchCommands) printNoMatch(ctx context.Context, score float64, near missed) {
	var now operations.SearchStatus
	known := false // whether the status could be read; if not, the command still succeeds
	if client, err := c.p.client(ctx); err == nil {
		known = client.Do(ctx, http.MethodGet, "/api/search/status", nil, &now) == nil
	}
	unready := c.unreadyServers(ctx)
	if known && now.Tools == 0 {
		if len(unready) == 0 {
			c.p.printf("No match: no tools are known yet. Add a server: agent-discover servers add NAME -- COMMAND ARGS\n")
			return
		}
		c.p.printf("No match: no tools are known yet.\n")
		c.printUnready(unready)
		return
	}
	c.p.printf("No tool fits well enough; the best score is %.2f.\n", score)
	for _, name := range near.DidYouMean {
		c.p.printf("Did you mean %s?\n", cell(strings.TrimPrefix(name, "mcp__")))
	}
	if len(near.Closest) > 0 {
		c.p.printf("Closest tools:\n")
	}
	for _, tool := range near.Closest {
		c.p.printf("  %s  (%.2f)\n", cell(strings.TrimPrefix(tool.CallAs, "mcp__")), tool.Score)
		if tool.Description != "" {
			c.p.printf("    %s\n", safetext.Clip(firstLine(tool.Description), 100))
		}
	}
	c.printUnready(unready)
	c.p.printf("Try other words, or list the servers: agent-discover servers\n")
	switch {
	case !known:
	case now.Problem != "":
		c.p.printf("The search currently uses words only: %s\n", cell(now.Problem))
	case now.Provider != settings.ProviderNone && now.Working:
		c.p.printf("Indexing is in progress: %d of %d tools are found by meaning, the others by words only.\n", now.Ready, now.Tools)
	}
}

// unreadyServers returns the servers whose tools agents do not find or cannot call.
func (c searchCommands) unreadyServers(ctx context.Context) []operations.Server {
	client, err := c.p.client(ctx)
	if err != nil {
		return nil
	}
	servers, _ := allServers(ctx, client) // after an error, the command lists none and still succeeds
	return slices.DeleteFunc(servers, func(s operations.Server) bool { return s.StateReason == "" || s.State == words.CallsFail })
}

func (c searchCommands) printUnready(servers []operations.Server) {
	for _, s := range servers {
		c.p.printf("Server %s %s\n", s.Name, brief(s.StateReason))
	}
}
