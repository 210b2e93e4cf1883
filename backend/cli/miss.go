package cli

import (
	"context"
	"net/http"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

// printMiss says that no tool fits, and what a person can do about it. The hint
// in the hub's answer is for agents.
func (p *program) printMiss(ctx context.Context, score float64, meant []string) {
	var now resources.SearchStatus
	known := false // how the search does, which is no reason to fail
	if client, err := p.client(ctx); err == nil {
		known = client.Do(ctx, http.MethodGet, "/api/search/status", nil, &now) == nil
	}
	if known && now.Tools == 0 {
		p.printf("Nothing was found: no tools are known yet. Add a server: agent-discover servers add NAME -- COMMAND ARGS\n")
		return
	}
	p.printf("Nothing fits well enough; the nearest came to %.2f.\n", score)
	for _, name := range meant {
		p.printf("Did you mean %s?\n", cell(strings.TrimPrefix(name, "mcp__")))
	}
	p.printf("Try other words, or see what there is: agent-discover servers\n")
	switch {
	case !known:
	case now.Problem != "":
		p.printf("Tools are found by their words alone just now: %s\n", cell(now.Problem))
	case now.Provider != settings.ProviderNone && now.Working:
		p.printf("Tools are still being read: %d of %d are found by their meaning, the others by their words.\n", now.Ready, now.Tools)
	}
}
