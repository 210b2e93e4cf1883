package main

import (
	"path/filepath"
	"regexp"
	"strings"
)

var (
	// goText matches the messages of errors, the help of commands and flags, and the text that commands print.
	goText = regexp.MustCompile("(?:fault\\.(?:New|Wrap)\\([^\"`\\n]*|Short: *|Long: *|Example: " +
		"*|usage\\{fmt\\.Errorf\\(|p\\.(?:say|printf)\\([^\"`\\n]*|VarP?\\([^\"\\n]*\"[a-z-]+\", *[^,\\n]+, " +
		"*)(\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`)")
	// attribute matches attributes and properties of components whose values users see or hear from a screen reader.
	attribute = regexp.MustCompile("(?:label|title|placeholder|aria-label|alt|text|hint|description|message|empty|help)(?:=|: " +
		"*)(\"[^\"]*\"|\\{?`[^`]*`\\}?)")
	markup  = regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>|<!--.*?-->`)
	element = regexp.MustCompile(`(?s)>([^<>{}]*[A-Za-z][^<>]*?)<`)
)

// interfaceTexts returns the texts of a source file that users read: text and labels in Svelte components, help and messages
// in Go.
func interfaceTexts(file, source string) []text {
	var out []text
	add := func(offset int, body string) {
		body = strings.Join(strings.Fields(strings.Trim(body, "\"`{}")), " ")
		if words(body) {
			out = append(out, text{file, 1 + strings.Count(source[:offset], "\n"), body})
		}
	}
	find := func(pattern *regexp.Regexp, in string) {
		for _, match := range pattern.FindAllStringSubmatchIndex(in, -1) {
			add(match[2], in[match[2]:match[3]])
		}
	}
	switch filepath.Ext(file) {
	case ".go":
		if !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "/testing/") {
			find(goText, source)
		}
	case ".svelte":
		// Blank out scripts but keep offsets, so that the line numbers of the texts stay right.
		visible := markup.ReplaceAllStringFunc(source, func(s string) string {
			return strings.Repeat("\n", strings.Count(s, "\n")) + strings.Repeat(" ", len(s)-strings.Count(s, "\n"))
		})
		find(element, visible)
		find(attribute, source)
	}
	return out
}
