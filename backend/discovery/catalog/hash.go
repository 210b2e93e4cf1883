package catalog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
)

// HashVersion is the version of the rules by which hashes are computed. Hashes of
// different versions cannot be compared.
const HashVersion = 1

// hashed lists the members of a definition that its hash covers, sorted. The hash also
// covers the server's name.
var hashed = []string{"annotations", "description", "inputSchema", "name", "outputSchema", "title"}

// hashOf returns the SHA-256, in hexadecimal, of the server's name and the
// members in hashed, as canonical JSON with sorted keys and numbers as written.
// Members that servers change without consequence, such as _meta, are not
// covered. The definition must be valid JSON in UTF-8.
func hashOf(server string, definition json.RawMessage) string {
	c := buffers.Get().(*canonicalizer)
	defer buffers.Put(c)
	if c.whole(server, definition) {
		return hexOf(c.out)
	}
	return hexOf(slowCanonical(server, definition))
}

// buffers holds canonicalizers, so that their memory is reused.
var buffers = sync.Pool{New: func() any { return new(canonicalizer) }}

func hexOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// slowCanonical returns the canonical JSON that is hashed. It uses encoding/json and
// handles any definition.
func slowCanonical(server string, definition json.RawMessage) []byte {
	decoder := json.NewDecoder(bytes.NewReader(definition))
	decoder.UseNumber() // keeps numbers as written
	var all map[string]any
	_ = decoder.Decode(&all)
	covered := map[string]any{"server": server}
	for _, name := range hashed {
		if value, ok := all[name]; ok {
			covered[name] = value
		}
	}
	data, _ := json.Marshal(covered) // Marshal sorts the keys of maps
	return data
}

// whole stores the result of slowCanonical in c.out without decoding the definition. It returns
// false for definitions that encoding/json may read differently: those with names that are
// repeated, need escapes or are not ASCII.
func (c *canonicalizer) whole(server string, definition []byte) bool {
	c.data, c.out, c.parts = definition, c.out[:0], c.parts[:0]
	defer func() { c.data = nil }()
	o := jsonscan.Members(definition, 0)
	for o.Next() {
		name := o.Name()
		if !plain(name) {
			return false
		}
		if slices.Contains(hashed, string(name)) {
			start := len(c.out)
			o.SetEnd(c.value(o.Start()))
			c.parts = append(c.parts, part{name, start, len(c.out)})
		}
	}
	if o.Close() < 0 {
		return false
	}
	start := len(c.out)
	quoted, _ := json.Marshal(server) // encoding a string cannot fail
	c.out = append(c.out, quoted...)
	c.parts = append(c.parts, part{[]byte("server"), start, len(c.out)})
	return c.arrange(0, 0)
}

// canonicalizer appends canonical JSON to out.
type canonicalizer struct {
	data    []byte // valid JSON
	out     []byte
	parts   []part // members of the objects whose end has not been reached
	scratch []byte
}

// part is a member of an object. Its canonical value is out[start:end].
type part struct {
	name       []byte
	start, end int
}

// value appends the canonical form of the value at data[at]. It returns the position after the
// value, or -1 if encoding/json may read the value differently.
func (c *canonicalizer) value(at int) (end int) {
	switch c.data[at] {
	case '{':
		return c.object(at)
	case '[':
		return c.array(at)
	}
	end = jsonscan.End(c.data, at)
	if end < 0 {
		return -1
	}
	raw := c.data[at:end]
	if raw[0] == '"' && !asWritten(raw[1:len(raw)-1]) {
		text, ok := jsonscan.String(raw)
		if !ok {
			return -1
		}
		raw, _ = json.Marshal(text) // encoding a string cannot fail
	}
	c.out = append(c.out, raw...)
	return end
}

func (c *canonicalizer) object(at int) (end int) {
	from, first := len(c.out), len(c.parts)
	o := jsonscan.Members(c.data, at)
	for o.Next() {
		name := o.Name()
		if !plain(name) {
			return -1
		}
		start := len(c.out)
		o.SetEnd(c.value(o.Start()))
		c.parts = append(c.parts, part{name, start, len(c.out)})
	}
	if end = o.Close(); end < 0 || !c.arrange(from, first) {
		return -1
	}
	return end
}

// arrange replaces c.out[from:], the values of the members in c.parts[first:], with an object
// that has these members sorted by name, and removes them from c.parts. It returns false if
// two members have the same name.
func (c *canonicalizer) arrange(from, first int) bool {
	parts := c.parts[first:]
	slices.SortFunc(parts, func(a, b part) int { return bytes.Compare(a.name, b.name) })
	values := append(c.scratch[:0], c.out[from:]...)
	c.scratch = values
	c.out = append(c.out[:from], '{')
	for i, p := range parts {
		if i > 0 {
			if bytes.Equal(p.name, parts[i-1].name) {
				return false
			}
			c.out = append(c.out, ',')
		}
		c.out = append(append(append(c.out, '"'), p.name...), `":`...)
		c.out = append(c.out, values[p.start-from:p.end-from]...)
	}
	c.out = append(c.out, '}')
	c.parts = c.parts[:first]
	return true
}

func (c *canonicalizer) array(at int) (end int) {
	elements := jsonscan.Elements(c.data, at)
	c.out = append(c.out, '[')
	for first := true; elements.Next(); first = false {
		if !first {
			c.out = append(c.out, ',')
		}
		elements.SetEnd(c.value(elements.Start()))
	}
	c.out = append(c.out, ']')
	return elements.Close()
}

// asWritten reports whether decoding the content of a JSON string and encoding it again with
// encoding/json would leave it unchanged. The content must be UTF-8.
func asWritten(text []byte) bool {
	for i := 0; i < len(text); i++ {
		b := text[i]
		if !special[b] {
			continue
		}
		switch {
		case b == '\\':
			if i++; i == len(text) || !strings.ContainsRune(`"\nrtbf`, rune(text[i])) {
				return false
			}
		case b < 0x80:
			return false
		case b == 0xe2 && bytes.HasPrefix(text[i:], lineSeparators): // U+2028 or U+2029, perhaps
			return false
		}
	}
	return true
}

// lineSeparators is the common prefix of U+2028 and U+2029 in UTF-8. encoding/json escapes both.
var lineSeparators = []byte{0xe2, 0x80}

// plain reports whether a name consists of ASCII characters that encoding/json does not escape.
func plain(text []byte) bool {
	for _, b := range text {
		if special[b] {
			return false
		}
	}
	return true
}

// special marks the bytes that encoding/json escapes, and those outside ASCII.
var special = func() (t [256]bool) {
	for b := range t {
		t[b] = b < ' ' || b >= 0x80 || b == '"' || b == '\\' || b == '<' || b == '>' || b == '&'
	}
	return t
}()
