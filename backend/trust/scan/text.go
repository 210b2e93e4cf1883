package scan

import (
	"sync"

	"github.com/agent-discover/agent-discover/backend/trust/injection"
	"github.com/agent-discover/agent-discover/backend/trust/normalize"
)

// longestResult limits how much of a result is judged, in bytes.
const longestResult = 256 << 10

// resultRules are the rules that apply to results. Rules about the order of calls or
// the choice of tools do not apply: ordinary results contain such sentences.
var resultRules = sync.OnceValue(func() *injection.Rules {
	return injection.Only(injection.Override, injection.Conceal, injection.Ordered, injection.Sink)
})

// Text judges the text of a tool's result, of which it reads up to 256 kB. It finds hidden
// characters, markup that pretends to come from the system, and orders to disregard
// instructions, to hide something, to call another tool or to send data away. The findings
// are in the order of their weight. Sentences without a word that such an order needs are
// skipped, so that most texts cost little more than one look at each byte.
func Text(text string) []Finding {
	text = text[:min(len(text), longestResult)]
	c := resultScanner{text: text}
	for _, m := range normalize.Hidden(text) {
		c.hidden(m)
	}
	for _, m := range injection.FindMarkup(text) {
		if m.Points >= middling {
			c.add(injection.Markup, m.Points, m.Start, m.End)
		}
	}
	injection.Candidates(text, func(start, end int) {
		c.read(text[start:end], start)
	})
	return strongest(c.findings)
}

// resultScanner collects the findings of a result.
type resultScanner struct {
	text     string
	reader   *injection.Reader
	findings []Finding
}

func (c *resultScanner) add(rule string, points float64, start, end int) {
	c.findings = append(c.findings, Finding{
		Rule: rule, Points: points, Verdict: verdictOf(points), Start: start, End: end, Text: evidence(c.text, start, end),
		Reason: reasons[rule],
	})
}

// hidden reports hidden characters, except for those that the output of programs and
// documents contains: text far to the right, icons and colours.
func (c *resultScanner) hidden(m normalize.Mark) {
	if !m.Certain || m.Kind == normalize.Controls && !normalize.Conceals(c.text, m) {
		return
	}
	c.findings = append(c.findings, Finding{
		Rule: Invisible, Verdict: Block, Start: m.Start, End: m.End, Text: evidence(c.text, m.Start, m.End),
		Reason: "It has " + string(m.Kind) + ", which people cannot see.",
	})
	if m.Decoded != "" {
		c.read(m.Decoded, -1)
	}
}

// read applies the rules to a part of the result that begins at an offset, or to a
// decoded text if the offset is negative.
func (c *resultScanner) read(part string, offset int) {
	if c.reader == nil {
		c.reader = injection.NewReader(false)
	}
	text := normalize.Of(part)
	for _, s := range c.reader.Read(text.S, injection.Names{}, resultRules()) {
		for _, hit := range s.Hits {
			switch {
			case hit.Points < middling:
			case offset < 0:
				c.findings = append(c.findings, Finding{
					Rule: hit.Rule, Points: hit.Points, Verdict: verdictOf(hit.Points),
					Text: visible("decoded: " + part[:min(len(part), longestText)]), Reason: reasons[hit.Rule],
				})
			default:
				c.add(hit.Rule, hit.Points, offset+text.Raw(hit.Start), offset+text.Raw(hit.End))
			}
		}
	}
}
