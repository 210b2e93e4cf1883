package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/editors/onboarding"
)

const (
	lookAgain = 200 * time.Millisecond
	// longestStart is how long setup waits for the first starts. The hub goes on with them afterwards.
	longestStart = 5 * time.Minute
)

// awaitStarts prints a line for each imported server as soon as its first start has ended. It returns the need that the
// hub proposes to try, or nil.
func (r *firstRun) awaitStarts(ctx context.Context, client *instance.Client) (*onboarding.SetupTry, error) {
	printed := make(map[int64]bool)
	progress := &progressLine{p: r.p}
	defer progress.clear()
	for deadline := time.Now().Add(longestStart); ; {
		var now onboarding.SetupStarts
		if err := client.Do(ctx, http.MethodGet, "/api/onboarding/starts", nil, &now); err != nil {
			return nil, err
		}
		var starting []string
		for _, s := range now.Servers {
			if s.State == onboarding.Starting {
				starting = append(starting, s.Name)
			} else if !printed[s.ID] {
				progress.clear()
				r.printStart(s)
				printed[s.ID] = true
			}
		}
		if len(starting) == 0 {
			return now.Try, nil
		}
		progress.show("Starting the servers once, to list their tools …", "starting "+strings.Join(starting, ", "))
		if time.Now().After(deadline) {
			progress.note("The others are still being started; see: agent-discover servers")
			return nil, nil
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// printStart prints how the first start of a server ended, and what helps if it failed.
func (r *firstRun) printStart(s onboarding.SetupStart) {
	switch s.State {
	case onboarding.Ready:
		r.p.printf("  %s: %s\n", s.Name, counted(s.Tools, "tool", "tools"))
	case onboarding.Waiting:
		r.p.printf("  %s: waits for your approval: agent-discover servers approve %[1]s\n", s.Name)
	case onboarding.Disabled:
		r.p.printf("  %s: disabled, as in the editor; to enable it: agent-discover servers enable %[1]s\n", s.Name)
	case onboarding.Variable:
		r.p.printf("  %s: does not start, because it needs %s: agent-discover secrets set %[1]s %s\n", s.Name, cell(s.Variable),
			cell(s.Variable))
	case onboarding.SignIn:
		r.p.printf("  %s: needs a sign-in: agent-discover auth login %[1]s\n", s.Name)
	default:
		r.p.printf("  %s: does not start: %s\n    to see more: agent-discover servers show %[1]s\n", s.Name,
			safetext.Clip(firstLine(s.Cause), 160))
	}
}

// find prints the tool that an agent finds for a need.
func (r *firstRun) find(ctx context.Context, client *instance.Client, need string) {
	var answer operations.FindReply
	body := map[string]any{"query": need, "limit": 1}
	if client.Do(ctx, http.MethodPost, "/api/find", body, &answer) != nil {
		return // the servers are set up nevertheless
	}
	var found foundTools
	if json.Unmarshal(answer.Reply, &found) == nil && found.Found {
		searchCommands{r.p}.printMatches(found)
	}
}
