package textdiff

import (
	"strings"
	"unicode"
)

// Part is a piece of text of a difference.
type Part struct {
	Kind string `json:"kind"` // same, add or remove
	Text string `json:"text"`
}

// Words returns the difference between two texts by words, as a sequence of parts. The
// parts of the kinds same and remove concatenate to before; the parts of the kinds same
// and add concatenate to after. Words returns nil if the texts are equal.
func Words(before, after string) []Part {
	if before == after {
		return nil
	}
	a, b := split(before), split(after)
	var parts []Part
	for _, edit := range Script(a, b) {
		text := ""
		if edit.Kind == Remove {
			text = a[edit.Old-1]
		} else {
			text = b[edit.New-1]
		}
		if last := len(parts) - 1; last >= 0 && parts[last].Kind == edit.Kind {
			parts[last].Text += text
			continue
		}
		parts = append(parts, Part{edit.Kind, text})
	}
	return parts
}

// split returns the words of a text, the marks between them and runs of space.
func split(text string) (out []string) {
	const (
		space = iota + 1
		word
		mark
	)
	kindOf := func(r rune) int {
		switch {
		case unicode.IsSpace(r):
			return space
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_', r == '-', r == '\'':
			return word
		}
		return mark
	}
	var piece strings.Builder
	last := 0
	for _, r := range text {
		kind := kindOf(r)
		if piece.Len() > 0 && (kind != last || kind == mark) {
			out = append(out, piece.String())
			piece.Reset()
		}
		piece.WriteRune(r)
		last = kind
	}
	if piece.Len() > 0 {
		out = append(out, piece.String())
	}
	return out
}
