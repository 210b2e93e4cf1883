package cli

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	marketplan "github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// proposal describes a server that waits for approval, and what it would download.
func proposal(ctx context.Context, client *instance.Client, s operations.Server, download operations.Download) string {
	r := setup.Runs{
		Transport: s.Transport, Command: text(s.Command), Args: s.Args, Env: s.Env, Dir: s.Dir, URL: text(s.Homepage),
		Headers: s.Headers,
	}
	about := [][2]string{
		{"description", s.Description},
		{"package", strings.TrimSpace(text(s.PackageName) + " " + text(s.PackageVersion))},
		{"source", s.Source},
	}
	if s.Sandbox != nil && s.Sandbox.Level != registry.Unconfined {
		about = append(about, [2]string{"sandbox", inWords(s.Sandbox)[len("sandbox "):]},
			[2]string{"added", strings.Join(s.Sandbox.Added, " ")})
		for _, missing := range s.Sandbox.Missing {
			about = append(about, [2]string{"not enforced", missing})
		}
		for _, note := range s.Sandbox.Notes {
			about = append(about, [2]string{"limit", note})
		}
	}
	if s.Source == marketplan.Source {
		about = append(about, [2]string{"listing", listingOf(ctx, client, s.Name)}, [2]string{"hash", s.LaunchHash})
	}
	for _, fact := range download.Facts {
		about = append(about, [2]string{"download", fact})
	}
	return launched(fmt.Sprintf("%s, %s:\n", s.Name, cell(s.Origin)), r, about, s.Risk) + warningLines(download.Warnings)
}

// downloadOf returns what the start of a server would download, from a request to the hub.
func downloadOf(ctx context.Context, client *instance.Client, method, path string, body any) operations.Download {
	var found operations.Download
	if err := client.Do(ctx, method, path, body, &found); err != nil {
		found.Warnings = []string{"The packages could not be looked up: " + fault.MessageOf(err)}
	}
	return found
}

// warningLines returns a line for each warning.
func warningLines(warnings []string) string {
	var b strings.Builder
	for _, warning := range warnings {
		fmt.Fprintf(&b, "Warning: %s\n", safetext.Runs(cell(warning)))
	}
	return b.String()
}

// listingOf returns the ID and version of the listing that a server was installed from, and "" if that is not known.
func listingOf(ctx context.Context, client *instance.Client, server string) string {
	var list operations.MarketUpdateList
	if client.Do(ctx, http.MethodGet, "/api/market/updates", nil, &list) != nil {
		return "" // the listing is optional in the description
	}
	for _, u := range list.Servers {
		if u.Name == server {
			return strings.TrimSpace(u.Listing + " " + u.Version)
		}
	}
	return ""
}

// launched describes the command or connection of a server and marks its suspicious parts. It
// neither redacts nor cuts a value, because a person has to judge the value, and an attacker can
// make any value look like a credential. The warnings come last, where a long value cannot push them out of
// sight.
func launched(heading string, r setup.Runs, about [][2]string, assessed *risk.Assessment) string {
	var b strings.Builder
	b.WriteString(heading)
	marked := make(map[string]bool)
	if assessed != nil {
		for _, mark := range assessed.Marks {
			marked[mark.Place] = true
		}
	}
	line := func(place, label, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s %-12s %s\n", map[bool]string{true: "!", false: " "}[marked[place]], label, value)
		}
	}
	if r.Command != "" {
		line("command", "command", shownWord(r.Command))
	}
	for i, arg := range r.Args {
		line(fmt.Sprintf("args[%d]", i), fmt.Sprintf("argument %d", i+1), shownWord(arg))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		line("env."+name, "variable", shownWord(name)+"="+shownWord(r.Env[name]))
	}
	if r.Dir != "" {
		line("cwd", "folder", shownWord(r.Dir))
	}
	line("", "transport", cell(r.Transport))
	line("url", "URL", safetext.Runs(safetext.Visible(r.URL)))
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		line("headers."+name, "header", shownWord(name)+": "+shownWord(r.Headers[name]))
	}
	for _, fact := range about {
		line(fact[0], fact[0], safetext.Runs(cell(fact[1])))
	}
	if assessed == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "%s\n", assessed.Consequence)
	return b.String() + warningLines(assessed.Warnings)
}

// shownWord returns a word of a command line, with hidden characters and long runs of spaces made
// visible.
func shownWord(word string) string {
	if word == "" {
		return `""`
	}
	return quoted(safetext.Runs(word))
}
