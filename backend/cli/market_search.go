package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/market/federation"
)

// marketQuery holds the flags of market search.
type marketQuery struct {
	source, runtime, category string
	limit                     int
	wait                      time.Duration // for slow sources if others have results already
}

func (c marketCommands) search() *cobra.Command {
	q := marketQuery{limit: 20, wait: 5 * time.Second}
	cmd := &cobra.Command{
		Use: "search WORDS…", Short: "Search all sources for servers", Args: needWords,
		Long: `Search the official registry, npm and PyPI for servers that fit your words, and list the
best first. A source that fails or is slow is named below the table; the others are
listed without it. Descriptions were written by the publishers of the servers.

STATE is installed, or update if there is a newer version than the installed one. TRUST
says whether the source has verified the publisher, how often the server is downloaded,
and how old it is. Exits with 2 if nothing was found.`,
		Example: "  agent-discover market search postgres\n  agent-discover market search read pdf files --source npm --limit 5",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			answer, err := c.found(cmd.Context(), client, q, strings.Join(args, " "))
			if err != nil {
				return err
			}
			return c.printServers(answer)
		},
	}
	cmd.Flags().StringVar(&q.source, "source", "", "only servers from `SOURCE`: official, npm or pypi")
	cmd.Flags().StringVar(&q.runtime, "runtime", "", "only servers that run as `KIND`: npm, pypi, oci, nuget, mcpb, cargo or remote")
	choices(cmd, "source", "official", "npm", "pypi")
	choices(cmd, "runtime", "npm", "pypi", "oci", "nuget", "mcpb", "cargo", "remote")
	cmd.Flags().StringVar(&q.category, "category", "",
		"only servers of `CATEGORY`, such as databases; agent-discover market lists them all")
	cmd.Flags().IntVar(&q.limit, "limit", q.limit, "show at most `N` servers")
	cmd.Flags().DurationVar(&q.wait, "wait", q.wait, "wait at most `TIME` for slow sources if others have found something")
	return cmd
}

// searchRound is how long the hub searches for one request before it answers with the results so far.
const searchRound = time.Second

// found searches until all sources have answered or, if some sources have found servers, until q.wait has passed.
func (c marketCommands) found(ctx context.Context, client *instance.Client, q marketQuery, text string) (federation.Answer, error) {
	query := url.Values{"query": {text}, "limit": {strconv.Itoa(q.limit)}, "wait_ms": {strconv.FormatInt(searchRound.Milliseconds(), 10)}}
	for name, value := range map[string]string{"source": q.source, "runtime": q.runtime, "category": q.category} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for began := time.Now(); ; {
		var answer federation.Answer
		err := client.Do(ctx, http.MethodGet, "/api/market/search?"+query.Encode(), nil, &answer)
		if err != nil || answer.Done || len(answer.Results) > 0 && time.Since(began) >= q.wait {
			return answer, err
		}
	}
}

// printServers prints the servers that a search has found. It fails if there are none.
func (c marketCommands) printServers(answer federation.Answer) error {
	if c.p.json {
		if err := c.p.printJSON(answer); err != nil {
			return err
		}
	} else if len(answer.Results) > 0 {
		table := c.p.table("ID", "VERSION", "STATE", "RUNS AS", "TRUST", "DESCRIPTION")
		for i := range answer.Results {
			r := &answer.Results[i]
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", cell(r.ID()), cmp.Or(cell(r.Version), "-"),
				marketState(r.Installed, r.Updatable), kindsOf(&r.Listing),
				trustOf(&r.Listing, time.Now()), shownText(r.Description))
		}
		if err := table.Flush(); err != nil {
			return err
		}
		c.p.printf("%d of %s%s. To see one: agent-discover market show ID\n",
			len(answer.Results), counted(answer.Total, "server", "servers"), from(answer.Sources))
	} else {
		c.p.printf("No server was found.\n")
	}
	c.noteMissing(answer.Sources)
	if len(answer.Results) == 0 {
		return exitCode(exitNotFound)
	}
	return nil
}

// from returns the names of the sources that have found servers, as in ", from official and npm".
func from(sources []federation.Report) string {
	var names []string
	for _, s := range sources {
		if s.Found > 0 {
			names = append(names, s.Source)
		}
	}
	if len(names) < 2 {
		return ", from " + strings.Join(names, "")
	}
	last := len(names) - 1
	return ", from " + strings.Join(names[:last], ", ") + " and " + names[last]
}

// noteMissing names the sources whose results are missing or incomplete, and says why.
func (c marketCommands) noteMissing(sources []federation.Report) {
	for _, s := range sources {
		switch s.Progress {
		case federation.Missing:
			c.p.notef("%s is missing: %s\n", s.Source, s.Problem)
		case federation.Incomplete:
			c.p.notef("%s is not complete: %s\n", s.Source, s.Problem)
		case federation.Searching:
			c.p.notef("%s is missing: it has not answered yet; search again in a moment\n", s.Source)
		}
	}
}

func marketState(installed, updatable bool) string {
	switch {
	case updatable:
		return "update"
	case installed:
		return "installed"
	}
	return "-"
}
