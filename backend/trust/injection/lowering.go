package injection

import "strings"

// lowering returns the most points that a match may get. This is 0 if the sentence
// says the opposite, .5 if it quotes or describes an order, and 0 or 1 for some
// orders that are harmless, for example within the server's own subject. For other
// matches it is the constant all, which does not limit the points.
func (d *Reader) lowering(rule string, tokens []token, first, end int) float64 {
	l := d.r.lex
	switch rule {
	case Override, Danger, SecretPath, SecretNoun, Sink, Chat, Tamper, Falsify, Persist, SideEffect, Ordered:
		if d.negated(tokens, max(0, first-3), first) ||
			rule != Override && rule != Falsify && rule != Tamper && rule != Ordered && d.negated(tokens, first, end) {
			return 0
		}
	case Consent, Conceal:
		if d.doublyNegated(tokens, first, end) {
			return 0
		}
	}
	quoted := true
	for i := first; i < end; i++ {
		quoted = quoted && tokens[i].quoted
	}
	if quoted && end-first > 1 {
		return .5
	}
	described := first
	if rule == SecretPath || rule == Chat || rule == Override {
		described = end
	}
	for i := range tokens[:described] {
		if tokens[i].mask.has(l.detect) {
			return .5
		}
	}
	switch rule {
	case Consent:
		if d.flagged(tokens) {
			return .5
		}
	case Before, After, Redirect:
		if d.ownScope(tokens[first:min(end+6, len(tokens))]) {
			return 1
		}
	case Trigger:
		if d.ownScope(tokens[first:min(end+6, len(tokens))]) {
			return 0
		}
	case SecretPath:
		if d.describes(tokens, first) {
			return 1
		}
	case Ordered:
		if d.lookUp(tokens[first:end]) {
			return 1
		}
	}
	return all
}

// all is more than the points of any rule.
const all = 9

// negated reports whether a range of tokens has a negation. The negation in "do not
// forget to" does not count.
func (d *Reader) negated(tokens []token, from, to int) bool {
	for i := from; i < to; i++ {
		if tokens[i].mask.has(d.r.lex.neg) && !(i+1 < len(tokens) && d.r.lex.insists[tokens[i+1].word]) {
			return true
		}
	}
	return false
}

// doublyNegated reports whether the sentence forbids what a match describes, as in "do
// not delete without confirmation".
func (d *Reader) doublyNegated(tokens []token, first, end int) bool {
	l := d.r.lex
	starts := tokens[first].mask.has(l.neg)
	for i := range tokens[:first] {
		if tokens[i].mask.has(l.neg) && (starts && tokens[first].word == l.without || first-i <= 2) {
			return true
		}
		if first-i <= 2 && l.rather[tokens[i].word] {
			return true
		}
	}
	for i := first; i < end; i++ { // never … without confirmation
		if tokens[i].word == l.without {
			return starts && tokens[first].word != l.without
		}
	}
	return false
}

// flagged reports whether a sentence describes a flag of the tool itself, and does
// not mention the user.
func (d *Reader) flagged(tokens []token) bool {
	flag := false
	for i := range tokens {
		if tokens[i].mask.has(d.r.lex.user) {
			return false
		}
		flag = flag || tokens[i].mask.has(d.r.lex.flag) || tokens[i].mask.has(d.r.classes.property)
	}
	return flag
}

// ownScope reports whether words of an order limit it to the server's own subject.
func (d *Reader) ownScope(tokens []token) bool {
	for i := range tokens {
		t := &tokens[i]
		if i > 0 && tokens[i-1].mask.has(d.r.classes.tool) && d.r.lex.narrows[t.word] || t.word == d.r.lex.related ||
			d.r.names.Subject[strings.ToLower(d.r.text[t.start:t.end])] {
			return true
		}
	}
	return false
}

// lookUp reports whether an ordered call only looks something up: it passes no value,
// the name of the tool says so, and no other server lists the tool.
func (d *Reader) lookUp(tokens []token) bool {
	c := &d.r.classes
	found := false
	for i := range tokens {
		t := &tokens[i]
		if t.mask.has(c.foreign) && !t.mask.has(c.lookup) || t.mask.has(c.yield) && !t.mask.has(c.foreign) {
			return false
		}
		if t.mask.has(c.path) || t.mask.has(c.url) || t.mask.has(c.mail) || t.mask.has(c.ip) || t.mask.has(c.number) ||
			t.mask.has(c.assigned) || t.mask.has(c.secretPath) ||
			t.mask.has(c.quoted) && !t.mask.has(c.foreign) {
			return false
		}
		found = found || t.mask.has(c.lookup)
	}
	return found
}

// describes reports whether a match only says what the tool itself does: its verb is in
// the third person, and no word says that something is passed on.
func (d *Reader) describes(tokens []token, first int) bool {
	if tokens[first].form != third {
		return false
	}
	for i := range tokens {
		if tokens[i].mask.has(d.r.lex.passes) {
			return false
		}
	}
	return true
}
