package main

import (
	"slices"
	"testing"
)

func textsOf(found []text) []string {
	var out []string
	for _, t := range found {
		out = append(out, t.text)
	}
	return out
}

func TestConsecutiveCommentLinesAreOneText(t *testing.T) {
	for file, row := range map[string]struct {
		source string
		want   []string
	}{
		"a.go": {
			"// Package a is\n// small.\npackage a\n\n//go:generate x\nvar b = 1 // one thing\n",
			[]string{"Package a is\nsmall.", "var b = 1 // one thing"},
		},
		"a.ts": {
			"// first line\n// second line\nlet a; // code\n/** a block\n comment */\n",
			[]string{"first line\nsecond line", "a block\n comment"},
		},
		"a.sh":     {"#!/bin/sh\n# says hello\necho hello\n# shellcheck disable=SC1\n", []string{"says hello"}},
		"a.svelte": {"<!-- the list of servers -->\n<p>Hello</p>\n", []string{"the list of servers"}},
	} {
		if got := textsOf(comments(file, row.source)); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", file, got, row.want)
		}
	}
}

func TestInterfaceTextsAreThoseThatUsersRead(t *testing.T) {
	goSource := "package a\n\nvar err = fault.New(fault.Invalid, \"invalid server name: %s\", name)\n" +
		"var cmd = &cobra.Command{Use: \"find\", Short: \"Find a tool\"}\nvar key = \"not shown\"\n"
	if got := textsOf(interfaceTexts("a.go", goSource)); !slices.Equal(got, []string{"invalid server name: %s", "Find a tool"}) {
		t.Errorf("Go: %q", got)
	}
	page := "<script>\nconst hidden = \"no text\";\n</script>\n<Button title=\"Add a server\">Add server</Button>\n"
	if got := textsOf(interfaceTexts("a.svelte", page)); !slices.Equal(got, []string{"Add server", "Add a server"}) {
		t.Errorf("Svelte: %q", got)
	}
}
