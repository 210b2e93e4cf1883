package scan

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
	"github.com/agent-discover/agent-discover/backend/trust/normalize"
)

// sameWords is the overlap from which two descriptions count as descriptions of the
// same tool.
const sameWords = .6

// listed is a tool of another server.
type listed struct {
	server string
	item   *Item
}

// shadowing compares the names of the server's tools with the names of other servers' tools.
func (c *scanner) shadowing(results []Result) {
	peers := make(map[string][]listed)
	for i := range c.peers {
		if c.peers[i].Name == c.server.Name {
			continue
		}
		for k := range c.peers[i].Items {
			if item := &c.peers[i].Items[k]; item.Kind == Tool {
				key := normalize.Skeleton(item.Name)
				peers[key] = append(peers[key], listed{c.peers[i].Name, item})
			}
		}
	}
	if len(peers) == 0 {
		return
	}
	for i := range c.server.Items {
		item := &c.server.Items[i]
		if item.Kind != Tool {
			continue
		}
		var worst Finding
		for _, other := range peers[normalize.Skeleton(item.Name)] {
			if f := compare(item, other); f.Verdict > worst.Verdict {
				worst = f
			}
		}
		if worst.Verdict > None {
			results[i].Findings = append(results[i].Findings, worst)
		}
	}
}

// compare judges a tool whose name is like that of another server's tool.
func compare(item *Item, other listed) Finding {
	f := Finding{Rule: Shadowing, Verdict: Note, Field: "/name", End: len(item.Name), Text: visible(item.Name)}
	server := visible(other.server)
	switch {
	case disguised(item.Name, other.item.Name):
		f.Verdict = Block
		f.Reason = "Its name looks like that of a tool of " + server + ", but has other characters."
	case overlap(words(item.JSON), words(other.item.JSON)) >= sameWords:
		f.Verdict = Warn
		f.Reason = "It has the name and the description of a tool of " + server + "."
	default:
		f.Reason = "A tool of " + server + " has the same name."
	}
	return f
}

// disguised reports whether name differs from other only by characters that look
// alike, and name is the one with the unusual characters.
func disguised(name, other string) bool {
	if strings.EqualFold(name, other) {
		return false
	}
	folded := normalize.FoldLookalikes(name)
	if folded != name && normalize.Skeleton(folded) == normalize.Skeleton(other) {
		return true
	}
	if len(name) != len(other) {
		return false
	}
	differ := false
	for i := range len(name) {
		a, b := name[i]|0x20, other[i]|0x20
		if a == b {
			continue
		}
		if !(name[i] == '1' && (b == 'l' || b == 'i') || name[i] == '0' && b == 'o' || a == 'l' && b == 'i' || name[i] == '5' && b == 's') {
			return false
		}
		differ = true
	}
	return differ
}

// words returns the words of a tool's description.
func words(definition []byte) map[string]bool {
	start, end := jsonscan.Find(definition, "description")
	if start < 0 {
		return nil
	}
	text, _ := decode(definition[start:end])
	set := make(map[string]bool)
	for word := range strings.FieldsFuncSeq(strings.ToLower(text),
		func(r rune) bool { return r < '0' || r > '9' && r < 'a' || r > 'z' && r < 0x80 }) {
		if len(word) > 2 || len(set) == 0 {
			set[word] = true
		}
	}
	return set
}

// overlap returns the share of the words of the smaller set that the larger set has,
// too. It is 0 if the smaller set has less than a third as many words.
func overlap(a, b map[string]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return 0
	}
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	if len(a)*3 < len(b) {
		return 0 // the few words may occur in any description
	}
	return float64(both) / float64(len(a))
}
