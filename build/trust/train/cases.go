package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/trust/evaluation"
	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

// document is one tool, or the tools of one case, with the results of the scan by rules.
type document struct {
	id, set, kind string
	group         string // kind of instruction, server or innocent sentence; documents of one group are left out of training together
	poisoned      bool
	laid          bool // the sentence was inserted into a real tool instead of its own
	results       []scan.Result
	bad           func(scan.Sentence) bool // whether a sentence is the poisoned one; nil for sets that do not train
}

// trains reports whether the sentences of a document may be used for training.
func (d *document) trains() bool { return d.bad != nil }

// hand returns the author of a poisoned sentence: the first part of the name of its file in the training data.
func (d *document) hand() string { return d.set }

const (
	catalogueSet = "real tools"
	innocentSet  = "innocent sentences"
)

// line is a line of the training data.
type line struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Like     string `json:"like"`
	Position string `json:"position"`
	Sentence string `json:"sentence"`
	Tool     struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tool"`
}

// eachLine decodes the lines of a JSON Lines file and calls do for each of them.
func eachLine[T any](path string, do func(T) error) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, 16<<20)
	for n := 1; s.Scan(); n++ {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, n, err)
		}
		if err := do(v); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, n, err)
		}
	}
	return s.Err()
}

// ownData returns the training data in folder. It also inserts each poisoned sentence into one of hosts, except for
// sentences that are a whole description.
func ownData(folder string, hosts []host) ([]document, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	var list []document
	for _, file := range files {
		err := eachLine(file, func(l line) error {
			own := host{
				scan.Item{Kind: scan.Tool, Name: l.Tool.Name},
				map[string]any{"name": l.Tool.Name, "description": l.Tool.Description},
				scan.Server{},
			}
			if l.Like != "" {
				list = append(list, innocent(l, own))
				return nil
			}
			set, _, _ := strings.Cut(filepath.Base(file), "-")
			list = append(list, poisoned(l, own, set))
			if l.Position != "whole" && len(hosts) > 0 {
				laid := poisoned(l, hosts[int(hash(l.ID))%len(hosts)], set)
				laid.laid = true
				list = append(list, laid)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func hash(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return h.Sum32() >> 2
}

// host is a tool into which a sentence is inserted.
type host struct {
	item   scan.Item
	json   map[string]any
	server scan.Server // the server of the tool
}

func innocent(l line, h host) document {
	raw, _ := json.Marshal(h.json)
	h.item.JSON = raw
	d := document{id: l.ID, set: innocentSet, kind: l.Like, group: l.ID, bad: func(scan.Sentence) bool { return false }}
	d.results = scan.Scan(scan.Server{Items: []scan.Item{h.item}}, nil, scan.Options{Sentences: true})
	return d
}

// poisoned inserts the sentence of a line into a tool and returns the result as a document.
func poisoned(l line, h host, set string) document {
	tool := make(map[string]any)
	maps.Copy(tool, h.json)
	text, _ := tool["description"].(string)
	pointer, start := "/description", 0
	switch l.Position {
	case "whole":
		tool["description"] = l.Sentence
	case "start":
		tool["description"] = l.Sentence + "\n" + text
	case "middle":
		head, tail, _ := strings.Cut(text, ". ")
		tool["description"], start = head+". "+l.Sentence+" "+tail, len(head)+2
	case "parameter", "default", "enum", "title":
		value := map[string]any{"type": "string"}
		pointer = "/inputSchema/properties/context/" + l.Position
		switch l.Position {
		case "parameter":
			value["description"] = l.Sentence
			pointer = "/inputSchema/properties/context/description"
		case "enum":
			value["enum"] = []string{"plain", l.Sentence}
			pointer += "/1"
		default:
			value[l.Position] = l.Sentence
		}
		tool["inputSchema"] = map[string]any{"type": "object", "properties": map[string]any{"context": value}}
	default:
		tool["description"], start = text+" "+l.Sentence, len(text)+1
	}
	raw, _ := json.Marshal(tool)
	h.item.JSON = raw
	server := scan.Server{Name: h.server.Name, Items: []scan.Item{h.item}}
	d := document{id: l.ID, set: set, kind: l.Kind, group: l.Kind, poisoned: true}
	d.results = scan.Scan(server, []scan.Server{h.server}, scan.Options{Sentences: true})
	d.bad = func(s scan.Sentence) bool {
		return s.Field == pointer && s.End > start && s.Start < start+len(l.Sentence)
	}
	return d
}

// catalogue returns the tools of the servers that trust/catalog-dev.txt names, as documents and as hosts.
func catalogue(shared string) ([]document, []host, error) {
	list, err := os.ReadFile(filepath.Join(shared, "trust", "catalog-dev.txt"))
	if err != nil {
		return nil, nil, err
	}
	var documents []document
	var hosts []host
	for name := range strings.FieldsSeq(string(list)) {
		data, err := os.ReadFile(filepath.Join(shared, "catalog", name))
		if err != nil {
			return nil, nil, err
		}
		var c struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(data, &c); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		server, _ := evaluation.Case{Server: strings.TrimSuffix(name, ".json"), Tools: c.Tools}.Judged()
		for i, r := range scan.Scan(server, nil, scan.Options{Sentences: true}) {
			documents = append(documents, document{
				id: name + "/" + r.Name, set: catalogueSet, group: name, results: []scan.Result{r},
				bad: func(scan.Sentence) bool { return false },
			})
			var tool map[string]any
			if json.Unmarshal(server.Items[i].JSON, &tool) == nil {
				hosts = append(hosts, host{server.Items[i], tool, server})
			}
		}
	}
	return documents, hosts, nil
}

// sets are the labelled sets of the reference data. They are used to judge the result and never for training.
var sets = []string{"cisco", "mcpproxy", "fabric", "safemcp", "mcpsecbench", "own"}

// foreign returns the cases of the labelled sets.
func foreign(shared string) ([]document, error) {
	var list []document
	for _, set := range sets {
		f, err := os.Open(filepath.Join(shared, "trust", set+".jsonl"))
		if err != nil {
			return nil, err
		}
		err = evaluation.Read(f, func(c evaluation.Case) error {
			d := document{id: c.ID, set: set, kind: c.Kind, poisoned: c.Label == "poisoned", results: c.Scan(scan.Options{Sentences: true})}
			if !d.poisoned {
				d.set += " clean"
			}
			list = append(list, d)
			return nil
		})
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set, err)
		}
	}
	return list, nil
}
