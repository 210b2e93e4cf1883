package scan

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/trust/normalize"
)

// hiddenCharacters reports the parts of a field that people cannot see, and applies
// the rules to the text that hidden characters encode.
func (c *scanner) hiddenCharacters(f field) {
	for _, m := range normalize.Hidden(f.text) {
		v := Warn
		if m.Certain {
			v = Block
		}
		found := Finding{Rule: Invisible, Verdict: v, Start: m.Start, End: m.End}
		c.add(f, normalize.Text{}, found)
		last := &c.result.Findings[len(c.result.Findings)-1]
		last.Reason = "It has " + string(m.Kind) + ", which people cannot see."
		if m.Kind == normalize.FarText {
			last.Text = evidence(f.text, m.Start, min(m.End, m.Start+longestText))
			last.Reason = "It has text after so much white space that people do not see it."
			continue
		}
		if len(m.Decoded) >= shortest {
			last.Text = visible("decoded: " + m.Decoded)
			last.Reason += " They spell a text."
			c.decoded(f, m.Start, m.End, m.Decoded)
		}
	}
}

// decoded applies the rules to a text that was hidden or encoded, and reports whether
// one matches.
func (c *scanner) decoded(f field, start, end int, text string) bool {
	found := false
	for _, s := range c.hidden.Read(normalize.Of(text).S, c.names, nil) {
		for _, hit := range s.Hits {
			if hit.Points < 1 {
				continue
			}
			found = true
			c.result.Findings = append(c.result.Findings, Finding{
				Rule: hit.Rule, Points: hit.Points, Verdict: verdictOf(hit.Points), Field: f.pointer(), Start: start, End: end,
				Text: visible("decoded: " + text[:min(len(text), longestText)]), Reason: reasons[hit.Rule],
			})
		}
	}
	return found
}

// deepestEncoding is how many layers of encoding below the first one are decoded.
const deepestEncoding = 3

// encoded reports encoded texts that are commands or orders.
func (c *scanner) encoded(f field) {
	for _, e := range normalize.Decode(f.text) {
		text := e.Decoded
		for range deepestEncoding {
			if inner := normalize.Decode(text); len(inner) == 1 && len(inner[0].Decoded)*4 > len(text) {
				text = inner[0].Decoded
			}
		}
		if normalize.Shell(text) || c.decoded(f, e.Start, e.End, text) {
			c.result.Findings = append(c.result.Findings, Finding{
				Rule: Encoding, Verdict: Block, Field: f.pointer(), Start: e.Start, End: e.End,
				Text:   visible("decoded: " + text[:min(len(text), longestText)]),
				Reason: "It contains an order or command in " + e.Form + ".",
			})
		}
	}
}

// propertyName reports parameters whose names ask for information that only the model has, such as its system prompt,
// and parameters whose names are sentences with an order.
func (c *scanner) propertyName(f field) {
	if len(f.text) < shortest {
		return
	}
	words := strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return ' '
		}
		return r
	}, splitCamel(f.text)))
	for _, telling := range tellingNames {
		if strings.Contains(" "+words+" ", telling) {
			c.add(f, normalize.Text{}, Finding{Rule: TellingName, Points: 1, Start: 0, End: len(f.text)})
			return
		}
	}
	if strings.Count(words, " ") >= 4 {
		for _, s := range c.hidden.Read(words, c.names, nil) {
			for _, hit := range s.Hits {
				if hit.Points >= 2 {
					c.add(f, normalize.Text{}, Finding{Rule: hit.Rule, Points: hit.Points, Start: 0, End: len(f.text)})
				}
			}
		}
	}
}

// tellingNames are words in names of parameters that ask for information that no tool needs.
var tellingNames = []string{
	" system prompt ", " conversation history ", " chat history ", " message history ", " full conversation ", " conversation context ",
	" chain of thought ", " thoughts ", " tool list ", " tools list ", " list of tools ", " available tools ", " all tools ",
	" full context ", " system message ", " exfil", " ssh key ", " model name ", " llm name ", " reasoning trace ", " previous messages ",
	" user messages ", " entire conversation ",
}

func splitCamel(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if i > 0 && s[i] >= 'A' && s[i] <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			b.WriteByte(' ')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
