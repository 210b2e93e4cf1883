package configedit

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonStyle is the layout of JSON text.
type jsonStyle struct {
	unit    string // the indentation of one level
	at      string // the indentation of the line on which the text starts
	inline  bool   // all on one line
	compact bool   // no space after colons or, on one line, commas
}

func (s jsonStyle) comma() string {
	if s.compact {
		return ","
	}
	return ", "
}

// fields returns the text between the brackets of a container with the given content.
func (s jsonStyle) fields(content any) string {
	var b strings.Builder
	switch content := content.(type) {
	case Object:
		for i, f := range content {
			s.separate(&b, i)
			s.field(&b, f)
		}
	case []any:
		for i, e := range content {
			s.separate(&b, i)
			s.write(&b, e)
		}
	}
	return b.String()
}

func (s jsonStyle) separate(b *strings.Builder, i int) {
	switch {
	case i == 0:
	case s.inline:
		b.WriteString(s.comma())
	default:
		b.WriteString(",\n" + s.at)
	}
}

func (s jsonStyle) field(b *strings.Builder, f Field) {
	b.Write(hujson.String(f.Key))
	b.WriteString(":")
	if !s.compact {
		b.WriteString(" ")
	}
	s.write(b, f.Value)
}

func (s jsonStyle) write(b *strings.Builder, v any) {
	if n, ok := number(v); ok {
		b.WriteString(n)
		return
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.Write(hujson.Bool(v))
	case string:
		b.Write(hujson.String(v))
	case []string:
		s.write(b, list(v))
	case []any:
		s.box(b, "[", v, "]", len(v) == 0 || !hasObject(v))
	case Object:
		s.box(b, "{", v, "}", len(v) == 0)
	}
}

// box writes the brackets of a container and its content, on one line if short
// is set.
func (s jsonStyle) box(b *strings.Builder, open string, content any, end string, short bool) {
	in := s
	in.inline = s.inline || short
	in.at += s.unit
	b.WriteString(open)
	if in.inline {
		b.WriteString(in.fields(content) + end)
		return
	}
	b.WriteString("\n" + in.at + in.fields(content) + "\n" + s.at + end)
}

func hasObject(v []any) bool {
	return slices.ContainsFunc(v, func(e any) bool { _, ok := e.(Object); return ok })
}
