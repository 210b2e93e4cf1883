package scan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/trust/injection"
	"github.com/agent-discover/agent-discover/backend/trust/normalize"
)

// part has the pieces of one text that may belong to an order or value that is split over several texts.
type part struct {
	item    int
	field   string
	first   string // the first sentence, if it seems to continue another text
	last    string // the last sentence, if it has no end
	number  int    // the n of "part n of m"; 0 if the text has no such words
	content string // the text after "part n of m"
	shares  []share
	combine []string // the sentences that say to combine something
}

// share is an opaque value with its label, such as one part of a divided secret.
type share struct{ label, value string }

var (
	partMark = lazyregexp.New(
		`(?i)\b(?:part|fragment|segment|piece|chunk|portion|component|half)\s*#?(\d{1,2})\s*(?:of|/)\s*(\d{1,2})\b`,
	)
	plainLabels = lazyregexp.New(`(?i)\b(?:default|defaults|max|maximum|min|minimum|limit|limits|example|port|timeout|e\.g|` +
		`version|year|date|since|range|between|size|http|https|id|ids|schema|format|type|name|note|returns|required|see|rfc|` +
		`iso)\b`)
)

// shareNames are words for the parts of a value.
var shareNames = []string{"shares", "fragments", "pieces", "shards", "chunks", "parts", "shamir", "lagrange", "secret sharing"}

// remember keeps the pieces of a field of the current item that may belong to a split order or value; see part.
func (c *scanner) remember(f field, text normalize.Text, sentences []injection.Sentence) {
	member := "" // the name of the member, or the index in the list, whose value is the string
	if n := len(f.at.path); n > 0 {
		member = f.at.path[n-1]
	}
	if len(sentences) == 0 || member != "description" && member != "" {
		return
	}
	p := part{item: c.current}
	s := text.S
	if countsParts(s) {
		if m := partMark.FindStringSubmatchIndex(s); m != nil {
			p.number, _ = strconv.Atoi(s[m[2]:m[3]])
			p.content = content(s[m[1]:])
		}
	}
	if tail := strings.TrimSpace(s); tail != "" && (strings.HasSuffix(tail, "...") || strings.IndexByte(".!?)`:;", tail[len(tail)-1]) < 0) {
		last := sentences[len(sentences)-1]
		p.last = s[last.Start:min(len(s), last.End+1)]
	}
	if first := s[sentences[0].Start:sentences[0].End]; first[0] >= 'a' && first[0] <= 'z' ||
		strings.HasPrefix(strings.TrimSpace(s), "...") {
		p.first = first
	}
	if f.place == prose {
		p.shares = sharesOf(s)
	}
	for _, sentence := range sentences {
		if sentence.Combines {
			p.combine = append(p.combine, strings.ToLower(s[sentence.Start:sentence.End]))
		}
	}
	if p.number > 0 || p.last != "" || p.first != "" || p.shares != nil || p.combine != nil {
		p.field = f.pointer()
		c.texts = append(c.texts, p)
	}
}

// content returns the content of s, which is the text after "part n of m": without a label, quotes or a remark in
// parentheses.
func content(s string) string {
	if i := strings.IndexByte(s, ':'); i >= 0 && i < 60 {
		s = s[i+1:]
	}
	s = strings.TrimSpace(s)
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		if end := strings.IndexByte(s[1:], s[0]); end > 0 {
			return s[1 : end+1]
		}
	}
	s, _, _ = strings.Cut(s, "(")
	return strings.Trim(s, "[]() \n")
}

// opaqueLength is the least length of an opaque value of letters and digits, in
// bytes.
const opaqueLength = 16

// sharesOf returns the opaque values of a text with their labels, as in "key: value"
// and "key = value".
func sharesOf(s string) []share {
	if !strings.ContainsAny(s, digits) || strings.Contains(s, "xample") {
		return nil
	}
	var list []share
	for i := 0; i < len(s) && len(list) < 8; i++ {
		start := i
		for i < len(s) && valueByte(s[i]) {
			i++
		}
		if value := s[start:i]; len(value) >= 4 && opaque(value) {
			if label := labelBefore(s[:start]); label != "" && !plainLabels.MatchString(label) {
				list = append(list, share{label, value})
			}
		}
	}
	return list
}

func valueByte(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '+' || c == '/' || c == '_' || c == '-'
}

// labelBefore returns the last two words before the "=" or ":" at the end of a text, in
// lower case without numbers. It returns "" if the text does not end with either.
func labelBefore(s string) string {
	s = strings.TrimRight(s, " \"'`(")
	if !strings.HasSuffix(s, "=") && !strings.HasSuffix(s, ":") {
		return ""
	}
	s = strings.TrimRight(s[:len(s)-1], " \"'`")
	s = s[max(0, len(s)-40):]
	s = s[strings.LastIndexAny(s, ".,;:()\n")+1:]
	words := strings.Fields(strings.ToLower(strings.TrimRight(s, "0123456789 _-#")))
	return strings.Join(words[max(0, len(words)-2):], " ")
}

// countsParts reports whether a text may count parts, as in "1 of 2" or "1/2".
func countsParts(s string) bool {
	for rest := s; ; {
		i := strings.Index(rest, " of ")
		if i < 0 {
			break
		}
		if i > 0 && rest[i-1] >= '0' && rest[i-1] <= '9' {
			return true
		}
		rest = rest[i+4:]
	}
	i := strings.IndexByte(s, '/')
	return i > 0 && s[i-1] >= '0' && s[i-1] <= '9'
}

// opaque reports whether a value means nothing to people: it has at least 4 digits and
// nothing else, or at least opaqueLength characters with 3 digits and 3 letters.
func opaque(s string) bool {
	digits, letters := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
		}
	}
	return digits >= 4 && digits == len(s) || len(s) >= opaqueLength && digits >= 3 && letters >= 3
}

// splitOrders joins and scans texts that are numbered as parts, and pairs of texts of
// which the second continues the first.
func (c *scanner) splitOrders(results []Result) {
	var numbered []part
	for _, p := range c.texts {
		if p.number > 0 && p.content != "" {
			numbered = append(numbered, p)
		}
	}
	slices.SortStableFunc(numbered, func(a, b part) int { return cmp.Compare(a.number, b.number) })
	if len(numbered) > 1 {
		var texts []string
		for _, p := range numbered {
			texts = append(texts, p.content)
		}
		c.joined(results, numbered, strings.Join(texts, " "), 0)
	}
	for i := 1; i < len(c.texts); i++ {
		a, b := c.texts[i-1], c.texts[i]
		if a.item != b.item && a.last != "" && b.first != "" {
			c.joined(results, []part{a, b}, a.last+" "+b.first, len(a.last))
		}
	}
}

// joined scans texts as one and reports a finding that none of them has alone. If seam
// is not 0, it is an offset in text, and the finding must have words on both sides of
// it.
func (c *scanner) joined(results []Result, parts []part, text string, seam int) {
	alone := make(map[string]bool)
	for _, p := range parts {
		for _, f := range results[p.item].Findings {
			alone[f.Rule] = alone[f.Rule] || f.Points >= middling
		}
	}
	c.names.Own, c.names.Property = "", nil
	for _, s := range c.hidden.Read(text, c.names, nil) {
		for _, hit := range s.Hits {
			if hit.Points < middling || alone[hit.Rule] || seam > 0 && (hit.Start >= seam || hit.End <= seam) {
				continue
			}
			for _, p := range parts {
				r := &results[p.item]
				r.Findings = append(r.Findings, Finding{
					Rule: Split, Verdict: Block, Field: p.field, Text: visible(text[:min(len(text), longestText)]),
					Reason: reasons[Split] + " " + reasons[hit.Rule],
				})
			}
			return
		}
	}
}

// enoughShares is the number of tools that must have a value under the same label
// before splitValues reports these values.
const enoughShares = 3

// splitValues reports parts of a value that several tools have. If a text also says
// to combine them, all items of the server are reported.
func (c *scanner) splitValues(results []Result) {
	type holder struct {
		item  int
		field string
		value string
	}
	labels := make(map[string][]holder)
	var texts []string
	for _, p := range c.texts {
		texts = append(texts, p.combine...)
		for _, s := range p.shares {
			labels[s.label] = append(labels[s.label], holder{p.item, p.field, s.value})
		}
	}
	for label, list := range labels {
		items, values := make(map[int]bool), make(map[string]bool)
		for _, h := range list {
			items[h.item], values[h.value] = true, true
		}
		if len(items) < enoughShares || len(values) < enoughShares {
			continue
		}
		words := strings.Fields(label)
		combine := slices.ContainsFunc(texts, func(text string) bool {
			return strings.Contains(text, words[len(words)-1]) ||
				slices.ContainsFunc(shareNames, func(name string) bool { return strings.Contains(text, name) })
		})
		for _, h := range list {
			f := Finding{
				Rule: Shares, Verdict: Note, Field: h.field, Text: visible(h.value), Reason: "Several tools have parts of a value.",
			}
			if combine {
				f.Verdict, f.Reason = Block, reasons[Shares]
			}
			results[h.item].Findings = append(results[h.item].Findings, f)
		}
		if !combine {
			continue
		}
		for i := range results {
			if !items[i] {
				results[i].Findings = append(results[i].Findings, Finding{Rule: Shares, Verdict: Block, Reason: reasons[Shares]})
			}
		}
	}
}
