//go:build linux

package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// column is the score of one route to the server.
type column struct {
	route string
	score score
}

// printTable prints the checks passed and failed of each scenario on all routes.
func printTable(w io.Writer, version string, columns []column) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name string, cell func(column) any) {
		_, _ = fmt.Fprint(table, name) // a tabwriter fails only at Flush
		for _, c := range columns {
			_, _ = fmt.Fprintf(table, "\t%v", cell(c))
		}
		_, _ = fmt.Fprintln(table)
	}
	row("MCP "+version+", passed/failed", func(c column) any { return c.route })
	direct := columns[0].score
	for _, name := range direct.scenarios {
		shown := name
		if why := direct.unscored[name]; why != "" {
			shown += " (" + why + ")"
		}
		row(shown, func(c column) any { return c.score.outcomes[name] })
	}
	row("scored", func(c column) any { return c.score.total(func(s string) bool { return direct.unscored[s] == "" }) })
	row("not scored", func(c column) any { return c.score.total(func(s string) bool { return direct.unscored[s] != "" }) })
	row("total", func(c column) any { return c.score.total(func(string) bool { return true }) })
	_ = table.Flush() // an error means that the output of the test is closed
	_, _ = fmt.Fprintln(w)
}

// total adds up the outcomes of the scenarios that include accepts.
func (s score) total(include func(scenario string) bool) outcome {
	var sum outcome
	for name, o := range s.outcomes {
		if include(name) {
			sum.passed += o.passed
			sum.failed += o.failed
		}
	}
	return sum
}
