package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
)

// comments returns the comments of a source file. A comment of several lines is one text.
func comments(file, source string) []text {
	if filepath.Ext(file) == ".go" {
		return goComments(file, source)
	}
	mark := "//"
	if ext := filepath.Ext(file); ext == ".sh" || ext == ".yaml" {
		mark = "#"
	}
	return lineComments(file, source, mark)
}

func goComments(file, source string) []text {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.ParseComments)
	if err != nil {
		return nil // the compiler reports it
	}
	var out []text
	for _, group := range parsed.Comments {
		if body := strings.TrimSpace(group.Text()); words(body) {
			body = context(parsed, files, source, group, body)
			out = append(out, text{file, files.Position(group.Pos()).Line, body})
		}
	}
	return out
}

// context puts the code of the same line before a trailing comment, because such a comment cannot be understood
// without the code.
func context(_ *ast.File, files *token.FileSet, source string, group *ast.CommentGroup, body string) string {
	at := files.Position(group.Pos())
	start := at.Offset - (at.Column - 1)
	if code := strings.TrimSpace(source[start:at.Offset]); code != "" {
		return code + " // " + body
	}
	return body
}

var blockComment = regexp.MustCompile(`(?s)(?:/\*\*?|<!--)\s*(.*?)\s*(?:\*/|-->)`)

func lineComments(file, source, mark string) []text {
	var out []text
	var group []string
	first := 0
	flush := func() {
		if body := strings.Join(group, "\n"); words(body) {
			out = append(out, text{file, first, body})
		}
		group = nil
	}
	number := 0
	for line := range strings.Lines(source) {
		number++
		line = strings.TrimSpace(line)
		body, ok := strings.CutPrefix(line, mark)
		if !ok || strings.HasPrefix(body, "!") {
			flush()
			continue
		}
		if group == nil {
			first = number
		}
		group = append(group, strings.TrimSpace(body))
	}
	flush()
	if mark == "//" {
		for _, match := range blockComment.FindAllStringSubmatchIndex(source, -1) {
			body := source[match[2]:match[3]]
			if words(body) {
				out = append(out, text{file, 1 + strings.Count(source[:match[0]], "\n"), body})
			}
		}
	}
	return out
}

// words reports whether a text is prose: at least two words, and not a directive of a tool.
func words(body string) bool {
	if strings.HasPrefix(body, "go:") || strings.HasPrefix(body, "eslint-") || strings.HasPrefix(body, "shellcheck ") ||
		strings.HasPrefix(body, "@ts-") {
		return false
	}
	return len(strings.Fields(body)) >= 2
}
