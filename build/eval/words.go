package main

import (
	"slices"
	"strings"
	"unicode"
)

// kinds are the verbs that the original takes for one another, the one that
// stands for all first.
var kinds = [][]string{
	{"create", "add", "make", "new", "open", "provision", "register"},
	{"get", "fetch", "retrieve", "read", "load", "pull"},
	{"list", "show", "display", "enumerate", "browse"},
	{"update", "change", "edit", "modify", "set", "patch"},
	{"delete", "cancel", "remove", "destroy", "drop"},
	{"search", "find", "query", "lookup"},
}

// words takes a text apart as the original does; they hold no sign that could
// end a quotation.
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
