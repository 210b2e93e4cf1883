package importer

import (
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/program"
)

// fenceLine matches the first and the last line of a code block in Markdown, also in a list or a
// quotation.
var fenceLine = lazyregexp.New("^[ \t>]*(?:[-*+]|\\d+[.)])?[ \t]*(```+|~~~+)[ \t]*([^`]*)$")

// blocks returns the code blocks of a text in Markdown, without the indentation of their first
// lines. A block without an end reaches to the end of the text. whole reports whether the text
// consists of exactly one block.
func blocks(text string) (all []string, whole bool) {
	mark, before, after := "", false, false
	var lines []string
	end := func() {
		all, lines, mark = append(all, strings.TrimSpace(strings.Join(lines, "\n"))), nil, ""
	}
	indent := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		at := fenceLine.FindStringSubmatch(line)
		switch {
		case mark == "" && at != nil:
			mark, indent = at[1], len(line)-len(strings.TrimLeft(line, " \t"))
			before = before || len(all) > 0
		case mark != "" && at != nil && strings.HasPrefix(at[1], mark) && strings.TrimSpace(at[2]) == "":
			end()
		case mark != "":
			cut := min(indent, len(line)-len(strings.TrimLeft(line, " \t")))
			lines = append(lines, line[cut:])
		case strings.TrimSpace(line) != "":
			after = true
		}
	}
	if mark != "" {
		end()
	}
	return all, len(all) == 1 && !before && !after
}

// fromBlocks returns the servers in the code blocks of a text. Documentation has blocks for several
// clients, so equal servers are returned once. Blocks that add no server are ignored.
func fromBlocks(all []string) ([]textEntry, error) {
	var entries []textEntry
	seen := make(map[string]bool)
	for _, block := range all {
		for _, e := range fromBlock(block) {
			key := fmt.Sprintf("%q", []any{e.Server.Command, e.Server.Args, e.Server.Env, e.Server.URL, e.Server.Headers})
			if !seen[key] {
				entries = append(entries, e)
			}
			seen[key] = true
		}
	}
	if len(entries) == 0 {
		return nil, fault.New(fault.Invalid,
			"none of the code blocks in the text contains a server; paste the configuration, the command or the URL of the server")
	}
	if len(entries) > maxEntries {
		return nil, tooManyServers()
	}
	return entries, nil
}

func fromBlock(block string) []textEntry {
	value, isData, err := data(block)
	if isData && err == nil {
		return entriesOf(value, finder{page: true})
	}
	var entries []textEntry
	for line := range strings.Lines(continued.ReplaceAllString(block, " ")) {
		line = prompt.ReplaceAllString(strings.TrimSpace(line), "")
		words, closed := split(line)
		if line == "" || line[0] == '#' || !closed {
			continue
		}
		first := words
		for len(first) > 1 && setVariable.MatchString(first[0]) {
			first = first[1:]
		}
		_, link, _ := installLink(line)
		if !link && !address.MatchString(line) && clientCommand(words) == nil && !runner.MatchString(program.Name(first[0])) {
			continue // documentation also shows commands that start no server
		}
		if read, err := command(line); err == nil {
			entries = append(entries, read...)
		}
	}
	return entries
}
