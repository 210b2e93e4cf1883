package main

import (
	"slices"
	"strings"
	"unicode"
)

// kinds are groups of verbs that agent-discover 1.4 treats as synonyms. The first of each group represents it.
var kinds = [][]string{
	{"create", "add", "make", "new", "open", "provision", "register"},
	{"get", "fetch", "retrieve", "read", "load", "pull"},
	{"list", "show", "display", "enumerate", "browse"},
	{"update", "change", "edit", "modify", "set", "patch"},
	{"delete", "cancel", "remove", "destroy", "drop"},
	{"search", "find", "query", "lookup"},
}

// words splits a text into words as agent-discover 1.4 does. The words contain no character that could end an FTS5
// string.
func words(text string) []string {
	var out []string
	add := func(w string) {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), separates) {
		if len(w) < 2 {
			continue
		}
		w = singular(strings.NewReplacer(`"`, "", "*", "").Replace(w))
		if w == "" {
			continue
		}
		add(w)
		for _, kind := range kinds {
			if slices.Contains(kind, w) {
				add(kind[0])
			}
		}
	}
	return out
}

func separates(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("_-/", r) }

// singular returns the singular of an English noun, by its ending.
func singular(w string) string {
	switch {
	case len(w) <= 3 || strings.HasSuffix(w, "ss"):
		return w
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ses"), strings.HasSuffix(w, "xes"):
		return w[:len(w)-2]
	}
	return strings.TrimSuffix(w, "s")
}
