package injection

import (
	"strings"
	"sync"
)

// triggers are words by kind. Every order that Candidates looks for contains at least one of them. A sentence with a
// word of kind s or c is a candidate only if goesOn returns true for it.
var triggers = map[byte]string{
	// orders to disregard, to obey or to hide
	'a': `ignore disregard forget bypass override overlook circumvent supersede unrestricted jailbreak jailbroken superseded lifted suspended revoked void guardrails safeguards
		restrictions obey comply treat pretend dan unfiltered silently secretly quietly covertly discreetly surreptitiously stealthily conceal hide withhold disclose reveal
		mention unnoticed tell inform notify hidden secret deny exfiltrate siphon behave`,
	// orders to send something somewhere
	's': `send forward upload transmit post relay submit bcc cc email mail append embed include copy report ping`,
	// orders to call a tool
	'c': `call invoke execute run use using trigger`,
}

// trigger is a trigger word in lower case.
type trigger struct {
	text string
	kind byte
}

// triggerTable finds triggers by the hash of a word.
type triggerTable struct {
	bits [1 << 10]uint64 // bit set of the lower 16 bits of the hashes
	at   map[uint32]trigger
}

var triggerWords = sync.OnceValue(func() *triggerTable {
	t := &triggerTable{at: make(map[uint32]trigger)}
	for kind, list := range triggers {
		for word := range strings.FieldsSeq(list) {
			h := hashStart
			for i := range len(word) {
				h = (h ^ uint32(word[i])) * hashPrime
			}
			t.bits[h>>6&1023] |= 1 << (h & 63)
			t.at[h] = trigger{word, kind}
		}
	}
	return t
})

// Candidates calls do with the range of each sentence or line of a text that has the words of an order. The ranges are
// in order and do not overlap.
func Candidates(text string, do func(start, end int)) {
	t := triggerWords()
	done := 0
	for i := 0; i < len(text); {
		if !isLetter[text[i]] {
			i++
			continue
		}
		start, h := i, hashStart
		for i < len(text) && isLetter[text[i]] {
			h = (h ^ uint32(text[i]|0x20)) * hashPrime
			i++
		}
		if t.bits[h>>6&1023]&(1<<(h&63)) == 0 || i-start < 2 {
			continue
		}
		word, ok := t.at[h]
		if !ok || !strings.EqualFold(word.text, text[start:i]) || start > 0 && (text[start-1] == '_' || text[start-1] == '.') {
			continue
		}
		if word.kind != 'a' && !goesOn(text[max(done, start-nearBefore):min(len(text), i+nearAfter)], word.kind) {
			continue
		}
		from, to := around(text, start, i, done)
		if word.kind == 'a' || goesOn(text[from:to], word.kind) {
			do(from, to)
			done, i = to, to
		}
	}
}

var isLetter = func() (set [256]bool) {
	for c := range 256 {
		set[c] = letter(byte(c)) && c < 0x80
	}
	return set
}()

// A sentence extends at most this many bytes around a trigger.
const (
	reachBack    = 250
	reachForward = 400
)

// Before Candidates determines the range of a sentence, goesOn examines this many bytes around a verb of sending or
// calling.
const (
	nearBefore = 60
	nearAfter  = 140
)

// around returns the range of the sentence, or of the string in JSON, around the word
// from start to end. The range does not begin before done.
func around(text string, start, end, done int) (from, to int) {
	low, high := max(done, start-reachBack), min(len(text), end+reachForward)
	from = low
	for i := start - 1; i > low; i-- {
		if text[i] == '\n' || (text[i] == ' ' && (text[i-1] == '.' || text[i-1] == '!' || text[i-1] == '?')) {
			from = i
			break
		}
		if text[i] == '"' && strings.IndexByte(":,{[", text[i-1]) >= 0 { // a string in JSON begins
			from = i + 1
			break
		}
	}
	for to = end; to < high; to++ {
		c := text[to]
		if c == '\n' && (to+1 == high || text[to+1] < 'a' || text[to+1] > 'z') ||
			c == ' ' && (text[to-1] == '.' || text[to-1] == '!' || text[to-1] == '?') {
			break
		}
		if c == '"' && to+1 < high && strings.IndexByte(",:}]", text[to+1]) >= 0 { // a string in JSON ends
			break
		}
	}
	return from, to
}

// goesOn reports whether s may contain the other part of an order with a trigger of a kind: a recipient for kind s, or
// a tool for kind c.
func goesOn(s string, kind byte) bool {
	if kind == 's' {
		return strings.Contains(s, "://") || strings.IndexByte(s, '@') >= 0 || strings.Contains(s, "external") || strings.Contains(s,
			"attacker") || strings.Contains(s, "](") ||
			strings.Contains(s, "conversation") || strings.Contains(s, "third") || strings.Contains(s, "remote") || strings.Contains(s,
			"www.") || strings.Contains(s, "collector")
	}
	return strings.IndexByte(s, '_') >= 0 || strings.IndexByte(s, '`') >= 0 || strings.Contains(s, "tool") || strings.Contains(s,
		"function")
}
