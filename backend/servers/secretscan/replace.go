package secretscan

import (
	"encoding/json"
	"slices"
	"strings"
)

// Replace replaces spans of a text by Redacted. Valid JSON stays valid.
func Replace(text string, spans []Span) string {
	if len(spans) == 0 {
		return text
	}
	if isJSON(text) {
		spans = slices.DeleteFunc(spans, func(s Span) bool { return s.kind&acrossStrings != 0 })
		return replaceInJSON(text, merge(spans))
	}
	spans = merge(spans)
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.From])
		if s.kind&inQuotes != 0 {
			b.WriteString(`"` + Redacted + `"`)
		} else {
			b.WriteString(Redacted)
		}
		at = s.To
	}
	b.WriteString(text[at:])
	return b.String()
}

func isJSON(text string) bool {
	start := strings.TrimLeft(text, " \t\r\n")
	return start != "" && strings.IndexByte(`{["-0123456789`, start[0]) >= 0 && json.Valid([]byte(text))
}

// replaceInJSON is Replace for valid JSON. In a string, it replaces the characters that
// a span covers, and never only a part of an escape. A number, true, false or null is
// replaced by a string as a whole. The structure stays unchanged.
func replaceInJSON(text string, spans []Span) string {
	var b strings.Builder
	// covered reports whether a span overlaps with a range. The ranges of successive calls must ascend.
	covered := func(from, to int) bool {
		for len(spans) > 0 && spans[0].To <= from {
			spans = spans[1:]
		}
		return len(spans) > 0 && spans[0].From < to
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			i = replaceInString(&b, text, i, covered)
		case strings.IndexByte("{}[]:, \t\r\n", c) >= 0:
			b.WriteByte(c)
			i++
		default:
			end := i + 1
			for end < len(text) && inValue[text[end]] {
				end++
			}
			if covered(i, end) {
				b.WriteString(`"` + Redacted + `"`)
			} else {
				b.WriteString(text[i:end])
			}
			i = end
		}
	}
	return b.String()
}

// replaceInString writes the string that begins at i to b, with Redacted in place of the covered characters, and
// returns the position after the string.
func replaceInString(b *strings.Builder, text string, i int, covered func(from, to int) bool) int {
	b.WriteByte('"')
	within := false
	for i++; text[i] != '"'; {
		end := i + 1
		if text[i] == '\\' {
			end++
			if text[i+1] == 'u' {
				end += len("0000")
			}
		}
		was := within
		if within = covered(i, end); !within {
			b.WriteString(text[i:end])
		} else if !was {
			b.WriteString(Redacted)
		}
		i = end
	}
	b.WriteByte('"')
	return i + 1
}
