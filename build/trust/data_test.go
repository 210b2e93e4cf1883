package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/reference"
)

// sentence is a line of the training data.
type sentence struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"` // kind of instruction in a poisoned sentence
	Like     string `json:"like"` // kind of instruction that an innocent sentence resembles
	Voice    string `json:"voice"`
	Position string `json:"position"`
	Sentence string `json:"sentence"`
	Tool     struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tool"`
}

// trainingData returns the lines of all files in data.
func trainingData(t *testing.T) []sentence {
	t.Helper()
	files, err := filepath.Glob("data/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no training data: %v", err)
	}
	var list []sentence
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var s sentence
			if err := json.Unmarshal([]byte(line), &s); err != nil {
				t.Fatalf("%s: %v in %s", file, err, line)
			}
			list = append(list, s)
		}
	}
	return list
}

func TestTrainingDataIsCompleteAndUnique(t *testing.T) {
	ids, texts := make(map[string]bool), make(map[string]bool)
	for _, s := range trainingData(t) {
		key := strings.ToLower(strings.Join(strings.Fields(s.Sentence), " "))
		switch {
		case s.ID == "" || s.Voice == "" || s.Sentence == "" || s.Tool.Name == "" || s.Tool.Description == "":
			t.Errorf("%q lacks a field", s.ID)
		case (s.Kind == "") == (s.Like == ""):
			t.Errorf("%s needs either a kind or a like", s.ID)
		case s.Kind != "" && s.Position == "":
			t.Errorf("%s has no position", s.ID)
		case ids[s.ID]:
			t.Errorf("the id %s is used twice", s.ID)
		case texts[key]:
			t.Errorf("%s repeats a sentence", s.ID)
		}
		ids[s.ID], texts[key] = true, true
	}
}

func TestTrainingDataIsVaried(t *testing.T) {
	kinds, positions, voices := make(map[string]map[string]bool), make(map[string]int), make(map[string]int)
	count := make(map[string]int)
	poisoned, innocent := 0, 0
	for _, s := range trainingData(t) {
		if s.Kind == "" {
			innocent++
			continue
		}
		poisoned++
		count[s.Kind]++
		if kinds[s.Kind] == nil {
			kinds[s.Kind] = make(map[string]bool)
		}
		kinds[s.Kind][s.Voice] = true
		positions[s.Position]++
		voices[s.Voice]++
	}
	if poisoned < 1000 || innocent < 500 {
		t.Errorf("there are %d poisoned and %d innocent sentences; want 1000 and 500", poisoned, innocent)
	}
	for _, kind := range strings.Fields("override danger conceal before-others after-others trigger redirect discredit tamper " +
		"ordered-call secret-path secret-noun sink chat consent persist falsify markup side-effect coerce implicit") {
		if count[kind] < 20 || len(kinds[kind]) < 6 && kind != "markup" {
			t.Errorf("%s has %d sentences in %d voices", kind, count[kind], len(kinds[kind]))
		}
	}
	for _, position := range strings.Fields("end start middle whole parameter default enum title") {
		if positions[position] < 8 {
			t.Errorf("%d sentences are in the position %s", positions[position], position)
		}
	}
	if len(voices) < 15 {
		t.Errorf("there are %d voices", len(voices))
	}
}

// overlap is the number of consecutive words that no training sentence may share with a labelled set.
const overlap = 7

func TestTrainingDataIsApartFromLabelledSets(t *testing.T) {
	folder := reference.Path(t, "trust")
	known := make(map[string]string)
	for _, set := range []string{"cisco", "mcpproxy", "mcpsecbench", "fabric", "safemcp", "own"} {
		file, err := os.Open(filepath.Join(folder, set+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var c struct {
				ID, Label string
				Sentence  string `json:"sentence"`
				Tools     []struct{ Description string }
			}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			texts := []string{c.Sentence}
			if c.Sentence == "" {
				for _, tool := range c.Tools {
					texts = append(texts, tool.Description)
				}
			}
			for _, text := range texts {
				for run := range runs(text) {
					known[run] = c.ID
				}
			}
		}
		_ = file.Close()
	}
	for _, s := range trainingData(t) {
		for run := range runs(s.Sentence) {
			if id, ok := known[run]; ok {
				t.Errorf("%s shares %q with %s", s.ID, run, id)
				break
			}
		}
	}
}

// runs iterates over the sequences of words in a text that are as long as overlap.
func runs(text string) func(func(string) bool) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return func(yield func(string) bool) {
		for i := 0; i+overlap <= len(words); i++ {
			if !yield(strings.Join(words[i:i+overlap], " ")) {
				return
			}
		}
	}
}
