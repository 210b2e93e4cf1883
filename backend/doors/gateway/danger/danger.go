// Package danger estimates the worst effect that a tool may have: it reads, writes or destroys something. The estimate
// uses the tool's annotations and the words of its name.
package danger

import (
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Level is the worst effect that a tool may have.
type Level int

// The levels of danger.
const (
	Reads Level = iota
	Writes
	Destroys
)

const (
	readingVerbs = "analyze browse calculate check compare compute count describe diff display download echo enumerate " +
		"exists explain export fetch find get has head info inspect is list log look lookup ls peek ping preview print query read recall " +
		"resolve retrieve screenshot search show stat stats status summarize tail test validate verify view watch whoami"
	writingVerbs    = "add create edit insert move post put send set update write"
	destroyingVerbs = "ban cancel clean clear delete destroy discard drop erase exec execute flush force format kill " +
		"merge overwrite pay purge push refund remove replace reset restore revert revoke rm rollback run shell shutdown stop terminate " +
		"transfer truncate uninstall unlink wipe"
)

// verbs maps verbs in names of tools to the levels that they suggest.
var verbs = func() map[string]Level {
	out := make(map[string]Level)
	for level, words := range []string{Reads: readingVerbs, Writes: writingVerbs, Destroys: destroyingVerbs} {
		for word := range strings.FieldsSeq(words) {
			out[word] = Level(level)
		}
	}
	return out
}()

// OfName guesses the danger of a tool from the verbs in its name. If there are several, the most dangerous counts. A
// name without a known verb counts as Writes.
func OfName(name string) Level {
	worst, known := Reads, false
	for _, word := range Words(name) {
		if level, ok := verbs[word]; ok {
			worst, known = max(worst, level), true
		}
	}
	if !known {
		return Writes
	}
	return worst
}

// Words splits a name such as get_userName into lower-case words.
func Words(name string) []string {
	var split strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			split.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		split.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(split.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}

// ofHints returns the danger that a tool's annotations declare; ok is false
// if they declare none.
func ofHints(t *catalog.Tool) (d Level, ok bool) {
	hints := jsonrpc.Get(t.Definition, "annotations")
	switch {
	case string(jsonrpc.Get(hints, "readOnlyHint")) == "true":
		return Reads, true
	case string(jsonrpc.Get(hints, "destructiveHint")) == "true":
		return Destroys, true
	case string(jsonrpc.Get(hints, "destructiveHint")) == "false":
		return Writes, true
	}
	return Writes, false
}

// Most returns the worse of the levels that a tool's name and its annotations suggest, because annotations may be
// false.
func Most(t *catalog.Tool) Level {
	d := OfName(t.Name)
	if hinted, ok := ofHints(t); ok {
		d = max(d, hinted)
	}
	return d
}

// MayDestroy reports whether a tool's name or annotations say that it may destroy something.
func MayDestroy(t *catalog.Tool) bool { return Most(t) == Destroys }

// Least returns the less dangerous of the levels that a tool's name and its annotations suggest.
func Least(t *catalog.Tool) Level {
	d := OfName(t.Name)
	if hinted, ok := ofHints(t); ok {
		d = min(d, hinted)
	}
	return d
}

// Annotated returns the danger that a tool's annotations declare. A tool without
// annotations counts as destructive.
func Annotated(t *catalog.Tool) Level {
	if d, ok := ofHints(t); ok {
		return d
	}
	return Destroys
}

// IsVerb reports whether a word, in lower case, is a verb for which a level is known.
func IsVerb(word string) bool {
	_, ok := verbs[word]
	return ok
}
