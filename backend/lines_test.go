package backend_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	// lastColumn is the maximum width of a line of Go. A tab counts as four columns, and spaces that align columns
	// as one.
	lastColumn = 140

	// longText is the least width of a literal that cannot be broken well. A line with such a literal may be longer
	// than lastColumn.
	longText = 60
)

var alignment = regexp.MustCompile(` {2,}`)

func TestLinesOfGoEndBeforeColumn140(t *testing.T) {
	for _, root := range []string{".", "../app", "../build", "../frontend", "../main.go"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil || bytes.Contains(source[:min(len(source), 1000)], []byte("DO NOT EDIT")) {
				return err
			}
			checkLines(t, path, source)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checkLines reports the lines of a file that are too long and contain no long literal.
func checkLines(t *testing.T, path string, source []byte) {
	texts := linesWithLongTexts(source)
	number := 0
	for line := range strings.Lines(string(source)) {
		number++
		line = strings.TrimSuffix(line, "\n")
		width := utf8.RuneCountInString(alignment.ReplaceAllString(line, " ")) + 3*strings.Count(line, "\t")
		if width > lastColumn && !texts[number] {
			t.Errorf("%s:%d has %d columns; at most %d are allowed", path, number, width, lastColumn)
		}
	}
}

// linesWithLongTexts returns the numbers of the lines of a Go file that contain a long literal or a part of one.
func linesWithLongTexts(source []byte) map[int]bool {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	lines := make(map[int]bool)
	for {
		at, kind, text := s.Scan()
		switch kind {
		case token.EOF:
			return lines
		case token.STRING:
			first := file.Line(at)
			for n, line := range strings.Split(text, "\n") {
				if utf8.RuneCountInString(line) > longText {
					lines[first+n] = true
				}
			}
		}
	}
}
