// Command trust measures how well poisoned tools are found, and how often clean ones cause a warning, on labelled
// cases and on the tools of real servers. It prints the shares beside those of the nearest rival program and of a
// prototype.
//
// The cases are in the folders trust and catalog of AGENT_DISCOVER_SHARED, by default ../shared. With -readme FILE,
// the table also replaces the one between the markers in FILE.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/testing/reference"
	"github.com/agent-discover/agent-discover/backend/trust/classifier"
	"github.com/agent-discover/agent-discover/backend/trust/evaluation"
)

// set is a file of labelled cases, with the shares that the rival and the prototype reach: blocked, and blocked or
// warned about.
type set struct {
	name, what       string
	clean            bool // judge the clean cases of the file, not the poisoned ones
	rival, prototype string
}

var sets = []set{
	{"cisco", "orders in descriptions", false, ".31 / .38", ".88 / .94"},
	{"mcpproxy", "short cases by category", false, ".69 / .77", ".69 / .90"},
	{"mcpsecbench", "shadowing and changed texts", false, "", ""},
	{"fabric", "orders in parameters", false, ".00 / 1.0", ".67 / 1.0"},
	{"safemcp", "markup", false, ".20 / .60", ".60 / 1.0"},
	{"own", "27 kinds of order in real tools", false, ".05 / .33", ".52 / .88"},
	{"mcpproxy", "clean, most of it alarming", true, ".00 / .27", ".02 / .10"},
	{"own", "clean, in alarming words", true, "", ""},
}

func main() {
	readme := flag.String("readme", "", "replace the table in this file")
	flag.Parse()
	if err := run(*readme); err != nil {
		fmt.Fprintln(os.Stderr, "trust:", err)
		os.Exit(1)
	}
}

func run(readme string) error {
	folder, ok := reference.Find("trust")
	if !ok {
		return errors.New("no labelled cases: set AGENT_DISCOVER_SHARED to the folder that contains trust and catalog")
	}
	var b strings.Builder
	b.WriteString("\n| set | cases | nearest other program | prototype | rules | rules and classifier |\n|---|---|---|---|---|---|\n")
	judges := []evaluation.Judge{evaluation.Rules, evaluation.Classifier(context.Background(), classifier.NewVectors(minilm.New(), 0))}
	for _, s := range sets {
		fmt.Fprintln(os.Stderr, "trust:", s.name)
		var counts []evaluation.Count
		for _, judge := range judges {
			poisoned, clean, err := evaluation.Labels(filepath.Join(folder, s.name+".jsonl"), judge)
			if err != nil {
				return err
			}
			if s.clean {
				poisoned = clean
			}
			counts = append(counts, poisoned)
		}
		row(&b, s.name+": "+s.what, counts, s.rival, s.prototype)
	}
	fmt.Fprintln(os.Stderr, "trust: real servers")
	servers, err := evaluation.Listings(filepath.Join(folder, "catalog-dev.txt"), filepath.Join(folder, "..", "catalog"))
	if err != nil {
		return err
	}
	var counts []evaluation.Count
	for _, judge := range judges {
		count, err := evaluation.Alarms(servers, judge)
		if err != nil {
			return err
		}
		counts = append(counts, count)
	}
	row(&b, "clean: tools of 51 real servers", counts, ".000 / .076", ".000 / .003")
	b.WriteString("\n")
	fmt.Print(b.String())
	if readme == "" {
		return nil
	}
	return replace(readme, b.String())
}

// row writes a row of the table, with the shares that each judge reaches.
func row(b *strings.Builder, name string, counts []evaluation.Count, rival, prototype string) {
	fmt.Fprintf(b, "| %s | %d | %s | %s |", name, counts[0].All, rival, prototype)
	for _, c := range counts {
		blocked, found := c.Shares()
		fmt.Fprintf(b, " %.3f / %.3f |", blocked, found)
	}
	b.WriteString("\n")
}

// The lines around the table in a file.
const (
	tableBegin = "<!-- table -->\n"
	tableEnd   = "<!-- /table -->"
)

// replace replaces the lines between tableBegin and tableEnd in a file.
func replace(file, table string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(text, []byte(tableBegin))
	_, after, closed := bytes.Cut(rest, []byte(tableEnd))
	if !ok || !closed {
		return fmt.Errorf("%s has no lines %q and %q", file, strings.TrimSpace(tableBegin), tableEnd)
	}
	return os.WriteFile(file, bytes.Join([][]byte{before, []byte(tableBegin + table + tableEnd), after}, nil), 0o644)
}
