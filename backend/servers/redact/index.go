package redact

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// index finds forms in texts. It is immutable.
type index struct {
	key   coverKey
	large table
	small table
}

// table has the fingerprints for one length of the window.
type table struct {
	begin   [1 << 14 / 64]uint64 // bit set of the first 14 bits of the hashes
	entries map[uint32][]entry
}

type entry struct {
	print
	owner string // the server that the secret belongs to
}

func newIndex(key coverKey, of map[string]Fingerprints) *index {
	x := &index{key: key}
	known := make(map[entry]bool)
	for owner, prints := range of {
		for _, p := range prints {
			e := entry{p, owner}
			if p.kind&ofOwner == 0 {
				e.owner = ""
			}
			if known[e] {
				continue
			}
			known[e] = true
			t := &x.large
			if p.length < window {
				t = &x.small
			}
			if t.entries == nil {
				t.entries = make(map[uint32][]entry)
			}
			t.begin[p.end>>18/64] |= 1 << (p.end >> 18 % 64)
			t.entries[p.end] = append(t.entries[p.end], e)
		}
	}
	return x
}

// match is where a form was found in a text.
type match struct {
	from, to int
	kind     formKind
}

// anyServer is the owner of texts that belong to no single server. In these, the secrets of all servers are redacted,
// however short they are.
const anyServer = ""

// find returns the matches of all forms in a text of a server.
func (x *index) find(text, server string) []match {
	if x == nil {
		return nil
	}
	var out []match
	if len(x.small.entries) > 0 {
		out = x.findSmall(text, server)
	}
	if len(x.large.entries) == 0 {
		return out
	}
	// end contains the last bytes that were read from the text, and packed the last of them that are not white space.
	var end, packed uint64
	escaped := 0        // remaining characters of escaped white space
	var positions []int // positions of the characters that are not white space; computed when needed
	begin, mix := &x.large.begin, x.key.mix
	for i := range len(text) {
		c := uint64(text[i])
		end = end<<8 | c
		if c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
			continue // every secret is also known without white space around it
		}
		if c == '\\' && escapesSpace(text, i) {
			escaped = 2
		}
		if escaped > 0 {
			escaped--
		} else {
			packed = packed<<8 | c
			hash := uint32(packed * mix >> 32)
			if begin[hash>>18/64]&(1<<(hash>>18%64)) != 0 && x.large.entries[hash] != nil {
				if positions == nil {
					positions = solid(text)
				}
				n, _ := slices.BinarySearch(positions, i)
				out = append(out, x.matchSpaced(hash, text, server, positions[:n+1])...)
			}
		}
		if hash := uint32(end * mix >> 32); begin[hash>>18/64]&(1<<(hash>>18%64)) != 0 {
			out = append(out, x.match(&x.large, hash, text[:i+1], server)...)
		}
	}
	return out
}

// findSmall is find for forms that are shorter than window.
func (x *index) findSmall(text, server string) (out []match) {
	var end uint32
	for i := range len(text) {
		end = end<<8 | uint32(text[i])
		if hash := x.key.hash(uint64(end)); x.small.begin[hash>>18/64]&(1<<(hash>>18%64)) != 0 {
			out = append(out, x.match(&x.small, hash, text[:i+1], server)...)
		}
	}
	return out
}

// match returns a match for each form in t whose hash is hash and with which text ends.
func (x *index) match(t *table, hash uint32, text, server string) (out []match) {
	for _, e := range t.entries[hash] {
		from := len(text) - int(e.length)
		if from < 0 || e.owner != "" && server != anyServer && e.owner != server {
			continue
		}
		if x.key.sum(text[from:]) == e.mac {
			out = append(out, match{from, len(text), e.kind})
		}
	}
	return out
}

// matchSpaced is match for forms whose characters are separated by white space. positions are the positions in text of
// the characters that are not white space, up to the end of the form.
func (x *index) matchSpaced(hash uint32, text, server string, positions []int) (out []match) {
	for _, e := range x.large.entries[hash] {
		from := len(positions) - int(e.length)
		if from < 0 || e.length < minSpaced || e.owner != "" && server != anyServer && e.owner != server {
			continue
		}
		form := make([]byte, 0, e.length)
		for _, at := range positions[from:] {
			form = append(form, text[at])
		}
		if x.key.sum(string(form)) == e.mac {
			out = append(out, match{positions[from], positions[len(positions)-1] + 1, e.kind})
		}
	}
	return out
}

// solid returns the positions of the characters that are not white space, escaped
// or not.
func solid(text string) []int {
	out := make([]int, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		case c == '\\' && escapesSpace(text, i):
			i++
		default:
			out = append(out, i)
		}
	}
	return out
}

// escapesSpace reports whether the backslash at a position begins an escaped line
// break or tab, as in JSON.
func escapesSpace(text string, at int) bool {
	return at+1 < len(text) && (text[at+1] == 'n' || text[at+1] == 'r' || text[at+1] == 't')
}

// widen returns the range of a match. For base64, it includes the adjacent characters, which may contain bits of the
// secret.
func widen(text string, found match) secretscan.Span {
	s := secretscan.Span{From: found.from, To: found.to}
	if found.kind&widened == 0 {
		return s
	}
	in64 := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i] >= 'A' && text[i] <= 'Z' ||
			text[i] >= 'a' && text[i] <= 'z' || strings.IndexByte("+/-_", text[i]) >= 0)
	}
	if in64(s.From - 1) {
		s.From--
	}
	if in64(s.To) {
		s.To++
	}
	for s.To < len(text) && text[s.To] == '=' {
		s.To++
	}
	return s
}

// cover redacts the forms of at least atLeast bytes in a text of a server.
func (x *index) cover(text, server string, atLeast int) string {
	var spans []secretscan.Span
	for _, found := range x.find(text, server) {
		if found.to-found.from >= atLeast {
			spans = append(spans, widen(text, found))
		}
	}
	return secretscan.Replace(text, spans)
}
