package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Set is a set of tools and labelled queries.
type Set struct {
	Tools   []Tool
	Queries []Query
	// Repeated counts tools that were left out because their ID occurred before.
	// Unknown counts labels that are not the ID of a tool, and thus can never be
	// found.
	Repeated, Unknown int
}

// Tool is a tool of a set.
type Tool struct {
	ID, Server, Name, Description string
	Schema                        json.RawMessage // the schema of the arguments; may be nil
	Definition                    json.RawMessage // the tool as a server would list it
}

// Query is a query and its labels.
type Query struct {
	ID       string
	Text     string
	Relevant []string // IDs of the right tools; empty if no tool of the set is right
	Kind     string   // may be empty
}

// Read reads a set from two files with a JSON object on each line. Tools have
// the members id, server, name, description, title and input_schema or
// inputSchema; queries have id, query, relevant and kind. Other members are
// ignored. Errors name the file and the line.
func Read(tools, queries string) (*Set, error) {
	set := &Set{}
	known := make(map[string]bool)
	err := eachLine(tools, "tools", func(line []byte) error {
		t, err := readTool(line)
		switch {
		case err != nil:
			return err
		case known[t.ID]:
			set.Repeated++
			return nil
		}
		known[t.ID] = true
		set.Tools = append(set.Tools, t)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return set, eachLine(queries, "queries", func(line []byte) error {
		q, err := readQuery(line)
		for _, id := range q.Relevant {
			if !known[id] {
				set.Unknown++
			}
		}
		set.Queries = append(set.Queries, q)
		return err
	})
}

func readTool(line []byte) (Tool, error) {
	var in struct {
		ID          string          `json:"id"`
		Server      string          `json:"server"`
		Name        string          `json:"name"`
		Title       any             `json:"title"`
		Description any             `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
		MCPSchema   json.RawMessage `json:"inputSchema"`
	}
	if err := decode(line, &in); err != nil {
		return Tool{}, err
	}
	if in.ID == "" || in.Name == "" {
		return Tool{}, errors.New("a tool needs an id and a name")
	}
	t := Tool{ID: in.ID, Server: in.Server, Name: in.Name, Schema: given(in.MCPSchema)}
	if t.Schema == nil {
		t.Schema = given(in.Schema)
	}
	t.Description, _ = in.Description.(string)
	title, _ := in.Title.(string)
	var err error
	t.Definition, err = json.Marshal(struct {
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	}{t.Name, title, t.Description, t.Schema})
	return t, err
}

// given returns raw, or nil if raw is the JSON value null.
func given(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

func readQuery(line []byte) (Query, error) {
	var in struct {
		ID       string   `json:"id"`
		Query    string   `json:"query"`
		Kind     string   `json:"kind"`
		Relevant []string `json:"relevant"`
	}
	if err := decode(line, &in); err != nil {
		return Query{}, err
	}
	if in.ID == "" || in.Query == "" {
		return Query{}, errors.New("a query needs an id and a text in query")
	}
	q := Query{ID: in.ID, Text: in.Query, Kind: in.Kind}
	seen := make(map[string]bool)
	for _, id := range in.Relevant {
		if !seen[id] {
			seen[id] = true
			q.Relevant = append(q.Relevant, id)
		}
	}
	return q, nil
}

// decode decodes a JSON object. Its errors are worded for the author of the file.
func decode(line []byte, into any) error {
	err := json.Unmarshal(line, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return errors.New("not a JSON object")
		}
		return errors.New(wrong.Field + " has the wrong type: " + wrong.Value)
	}
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	return nil
}

// eachLine calls visit for each line of a file that is not blank. what names the
// content of the file in errors, such as "queries".
func eachLine(path, what string, visit func(line []byte) error) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.NotFound, "there is no file %s", path)
	}
	if err != nil {
		return unreadable(err, path)
	}
	defer f.Close()
	lines, empty := bufio.NewReaderSize(f, 1<<16), true
	for n := 1; ; n++ {
		line, end := lines.ReadBytes('\n')
		if end != nil && end != io.EOF {
			return unreadable(end, path)
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF")) // the byte order mark of some Windows editors
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			empty = false
			if err := visit(line); err != nil {
				return fault.Wrap(err, fault.Invalid, "%s:%d: %s", path, n, err)
			}
		}
		if end != nil {
			break
		}
	}
	if empty {
		return fault.New(fault.Invalid, "%s contains no %s", path, what)
	}
	return nil
}

func unreadable(err error, path string) error {
	return fault.Wrap(err, fault.Invalid, "could not read %s: %s", path, errors.Unwrap(err))
}
