package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/market/updates"
)

// difference describes what an update would change.
func difference(c updates.Comparison) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s: %s → %s", c.Server, shownText(c.From), shownText(c.To))
	if len(c.Command) > 0 {
		line("  command      %s", wholeCommand(c.Command))
	}
	if c.URL != "" {
		line("  URL          %s", shownText(c.URL))
	}
	for _, values := range []map[string]string{c.Env, c.Headers} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			line("  setting      %s=%s", shownWord(name), shownWord(values[name]))
		}
	}
	if c.Plan != nil && c.Plan.Download != nil {
		line("  downloads    %s", shownText(downloaded(c.Plan.Download)))
	}
	for _, q := range c.Inputs {
		if !q.Stored {
			line("  new input    %s  %s", shownText(q.Name), question(q))
		}
	}
	for _, tool := range c.Added {
		line("+ tool         %s", shownText(tool))
	}
	for _, tool := range c.Removed {
		line("- tool         %s", shownText(tool))
	}
	for _, tool := range c.Changed {
		describeChange(line, tool)
	}
	switch {
	case c.Unstarted: // c.Notes explain this
	case c.SignIn:
		line("The server asks for a sign-in, so its tools cannot be compared.")
	case len(c.Added)+len(c.Removed)+len(c.Changed) == 0:
		line("The tools are the same.")
	}
	describeReplay(line, c.Replay)
	for _, note := range c.Notes {
		line("Note: %s", shownText(note))
	}
	line("  hash         %s", c.Hash)
	return b.String()
}

// describeChange describes how a tool differs.
func describeChange(line func(string, ...any), t updates.Change) {
	var parts []string
	for _, part := range []struct {
		name  string
		names []string
	}{{"new arguments", t.Added}, {"removed arguments", t.Removed}, {"changed arguments", t.Changed}, {"required now", t.Required}} {
		if len(part.names) > 0 {
			parts = append(parts, part.name+": "+shownText(strings.Join(part.names, ", ")))
		}
	}
	if t.Schema && len(parts) == 0 {
		parts = append(parts, "its schema differs")
	}
	if t.Hints {
		parts = append(parts, "what it says about its effects differs")
	}
	if t.Description {
		parts = append(parts, "its description differs")
	}
	line("~ tool         %s: %s", shownText(t.Tool), strings.Join(parts, "; "))
	if t.Description {
		line("    before     %s", shownText(t.Before))
		line("    now        %s", shownText(t.After))
	}
}

// describeReplay describes the results of the calls that were repeated with the newest version.
func describeReplay(line func(string, ...any), r *updates.Replay) {
	if r == nil {
		return
	}
	line("Repeated calls: %d with the same result, %d with another one.", r.Same, r.Different)
	for _, call := range r.Calls {
		if !call.Same {
			line("  %s %s: %s, before %s", shownText(call.Tool), shownText(string(call.Arguments)), call.After, call.Before)
		}
	}
}
