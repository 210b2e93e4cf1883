package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// The generated catalogue is about as large as that of 107 published servers: 2,970 tools of 1,600 bytes each.
const (
	generatedServers = 107
	generatedTools   = 2970
)

// toolFiles returns one file of tools per server and the total number of tools. It uses the tools of published servers
// from the reference data, or generates tools if there is no reference data.
func (b *bench) toolFiles() ([]string, int, error) {
	var found []string
	if catalog, ok := reference.Find("catalog"); ok {
		found, _ = filepath.Glob(filepath.Join(catalog, "*.json")) // the pattern is well-formed
	}
	var files []string
	total := 0
	for _, file := range found {
		n, err := countTools(file)
		if err != nil {
			return nil, 0, err
		}
		if file, err = filepath.Abs(file); err != nil {
			return nil, 0, err
		}
		if n > 0 {
			files, total = append(files, file), total+n
		}
	}
	if total > 0 {
		return files, total, nil
	}
	fmt.Println("\nno recorded tools found (set AGENT_DISCOVER_SHARED); using generated ones")
	return generate(b.scratch)
}

// countTools returns the number of distinct tool names, as the hub counts them.
func countTools(file string) (int, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var list struct {
		Tools []struct{ Name string }
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	names := make(map[string]bool)
	for _, tool := range list.Tools {
		if tool.Name != "" {
			names[tool.Name] = true
		}
	}
	return len(names), nil
}

var (
	verbs   = []string{"create", "list", "get", "update", "delete", "search", "merge", "export", "close", "assign"}
	objects = []string{"issue", "branch", "invoice", "droplet", "page", "ticket", "customer", "repository", "dashboard", "alert"}
)

// generate writes a catalogue of generated tools into a folder, one file per server. The tools have distinct names,
// descriptions and schemas. It returns the files and the number of tools.
func generate(folder string) ([]string, int, error) {
	var files []string
	for server := range generatedServers {
		var tools []map[string]any
		for i := server; i < generatedTools; i += generatedServers {
			tools = append(tools, madeUpTool(i))
		}
		data, err := json.Marshal(map[string]any{"tools": tools})
		if err != nil {
			return nil, 0, err
		}
		file := filepath.Join(folder, fmt.Sprintf("tools-%d.json", server))
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return nil, 0, err
		}
		files = append(files, file)
	}
	return files, generatedTools, nil
}

func madeUpTool(i int) map[string]any {
	verb, object, other := verbs[i%10], objects[i/10%10], objects[i/100%10]
	properties := make(map[string]any)
	for p := range 4 + i%7 {
		properties[fmt.Sprintf("%s_%s_%d", objects[p], verb, p)] = map[string]any{
			"type": "string",
			"description": fmt.Sprintf("The %s that the %s belongs to, as its id or its name; leave it out to take the one "+
				"that was used last (variant %d)", objects[p], object, i),
		}
	}
	return map[string]any{
		"name": fmt.Sprintf("%s_%s_%d", verb, object, i),
		"description": fmt.Sprintf("%s a %s in a %s. Needs the right to %s, and returns the %s with all its fields (number %d).",
			verb, object, other, verb, object, i),
		"inputSchema": map[string]any{"type": "object", "properties": properties, "required": []string{"issue_" + verb + "_0"}},
	}
}
