package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// entry is a line of the training data.
type entry struct {
	Tools  []string
	Also   []string
	Domain string
	Tool   *struct{ Server, Name, Description string }
	Needs  []string

	file string
	line int
}

// readData returns all lines of the training data.
func readData(t *testing.T) []entry {
	t.Helper()
	files, _ := filepath.Glob("data/*.jsonl") // the pattern is well-formed
	var entries []entry
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line := 0
		for text := range bytes.Lines(data) {
			line++
			e := entry{file: file, line: line}
			if err := json.Unmarshal(text, &e); err != nil {
				t.Fatalf("%s:%d: %v", file, line, err)
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// normal returns the words of a text, in lower case.
func normal(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func TestTheTrainingDataIsBroad(t *testing.T) {
	needs, invented := 0, 0
	seen, domains := make(map[string]bool), make(map[string]bool)
	for _, e := range readData(t) {
		if len(e.Needs) == 0 || (e.Tool == nil) == (len(e.Tools) == 0) {
			t.Errorf("%s:%d: expected needs, and either a tool or the IDs of tools", e.file, e.line)
		}
		for _, need := range e.Needs {
			key := strings.Join(normal(need), " ") + "\x00" + strings.Join(e.Tools, " ")
			if seen[key] {
				t.Errorf("%s:%d: repeated need %q", e.file, e.line, need)
			}
			seen[key] = true
		}
		needs += len(e.Needs)
		if e.Tool != nil {
			invented += len(e.Needs)
			domains[e.Domain] = true
		}
	}
	if needs < 8000 || invented < 3000 || len(domains) < 150 {
		t.Errorf("got %d needs, %d of them for invented tools of %d domains; want 8000, 3000 and 150", needs, invented, len(domains))
	}
}

func TestNoNeedIsForAServerKeptForValidation(t *testing.T) {
	kept, err := os.ReadFile("data/unwritten.txt")
	if err != nil {
		t.Fatal(err)
	}
	servers := strings.Fields(string(kept))
	if len(servers) != 20 {
		t.Errorf("%d servers are kept, want 20", len(servers))
	}
	for _, e := range readData(t) {
		for _, id := range e.Tools {
			if server, _, _ := strings.Cut(id, "/"); slices.Contains(servers, server) {
				t.Errorf("%s:%d: %s is kept for validation", e.file, e.line, id)
			}
		}
	}
}

func TestEveryNeedHasATool(t *testing.T) {
	known := make(map[string]bool)
	files, _ := filepath.Glob(filepath.Join(reference.Path(t, "catalog"), "*.json"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var server struct{ Tools []struct{ Name string } }
		if err := json.Unmarshal(data, &server); err != nil {
			t.Fatal(err)
		}
		for _, tool := range server.Tools {
			known[strings.TrimSuffix(filepath.Base(file), ".json")+"/"+tool.Name] = true
		}
	}
	entries := readData(t)
	for _, e := range entries {
		if e.Tool != nil {
			known[e.Tool.Server+"/"+e.Tool.Name] = true
		}
	}
	for _, e := range entries {
		for _, id := range append(e.Tools, e.Also...) {
			if !known[id] {
				t.Errorf("%s:%d: unknown tool %s", e.file, e.line, id)
			}
		}
	}
}

func TestNoNeedResemblesAQueryThatMeasuresTheSearch(t *testing.T) {
	queries := make(map[string]string) // queries by their words in lower case
	grams := make(map[string]string)   // queries by each sequence of six words in them
	files, _ := filepath.Glob(filepath.Join(reference.Path(t, "bench"), "*", "queries.jsonl"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for text := range bytes.Lines(data) {
			var q struct{ Query string }
			if err := json.Unmarshal(text, &q); err != nil {
				t.Fatal(err)
			}
			words := normal(q.Query)
			queries[strings.Join(words, " ")] = q.Query
			for i := 0; i+6 <= len(words); i++ {
				grams[strings.Join(words[i:i+6], " ")] = q.Query
			}
		}
	}
	for _, e := range readData(t) {
		for _, need := range e.Needs {
			words := normal(need)
			if q, ok := queries[strings.Join(words, " ")]; ok {
				t.Errorf("%s:%d: %q is a query of a set", e.file, e.line, q)
			}
			shared := 0
			for i := 0; i+6 <= len(words); i++ {
				if grams[strings.Join(words[i:i+6], " ")] != "" {
					shared++
				}
			}
			if 2*shared >= max(len(words)-5, 2) {
				t.Errorf("%s:%d: %q resembles a query of a set", e.file, e.line, need)
			}
		}
	}
}
