package gateway

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// candidates is how many tools of an intent the others of its batch may change
// the order of.
const candidates = 10

// What lifts the tools of a server, as a share of their scores, and how near to
// the best a tool must be to be lifted.
const (
	namedLift  = 0.10 // an intent of the batch names it
	highLift   = 0.10 // another intent is surely for it
	mediumLift = 0.05 // another intent is likely for it
	maxLift    = 0.15
	nearBest   = 0.80
)

// together ranks the results of a batch once more, each in the light of the
// others: intents that come together are mostly for the same servers. What an
// intent names itself, and what is clear without the others, stays as it is.
// The results stay in the order of the intents; those given are not changed.
func together(intents []string, results []search.Result) []search.Result {
	out := slices.Clone(results)
	named := make([][]string, len(intents))
	servers := serversOf(results)
	for i, intent := range intents {
		named[i] = namedIn(wordsOf(intent), servers)
	}
	for i, result := range results {
		if result.Found && result.Confidence != search.High {
			out[i] = lifted(intents[i], result, liftsFor(i, intents, results, named))
		}
	}
	return out
}

func serversOf(results []search.Result) []string {
	var servers []string
	for _, result := range results {
		for _, hit := range result.Hits {
			servers = append(servers, hit.Tool.Server)
		}
	}
	slices.Sort(servers)
	return slices.Compact(servers)
}

// liftsFor says how much the batch lifts each server for one of its intents.
// One that names servers itself is not told by the others where to go.
func liftsFor(i int, intents []string, results []search.Result, named [][]string) map[string]float64 {
	lifts := make(map[string]float64)
	if len(named[i]) > 0 {
		for _, server := range named[i] {
			lifts[server] = namedLift
		}
		return lifts
	}
	own := strings.Join(wordsOf(intents[i]), " ")
	for j, other := range results {
		if strings.Join(wordsOf(intents[j]), " ") == own {
			continue // the same once more says nothing
		}
		for _, server := range named[j] {
			lifts[server] += namedLift
		}
		if other.Found {
			lifts[other.Hits[0].Tool.Server] += map[search.Confidence]float64{search.High: highLift, search.Medium: mediumLift}[other.Confidence]
		}
	}
	return lifts
}

// lifted sorts the hits of a result anew, those lifted that are near the best.
// Where the best bears the very name that the intent has, only its namesakes on
// other servers can take its place.
func lifted(intent string, result search.Result, lifts map[string]float64) search.Result {
	best := result.Hits[0]
	exact := slices.Equal(wordsOf(intent), wordsOf(best.Tool.Name)) || mentions(intent, best.Tool.Name)
	result.Hits = slices.Clone(result.Hits)
	for i, hit := range result.Hits {
		if hit.Score >= nearBest*best.Score && (!exact || hit.Tool.Name == best.Tool.Name) {
			result.Hits[i].Score = min(1, hit.Score*(1+min(lifts[hit.Tool.Server], maxLift)))
		}
	}
	slices.SortStableFunc(result.Hits, func(a, b search.Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	result.TopScore = result.Hits[0].Score
	return result
}

// mentions reports whether a text holds a tool's name as only a name is
// written: with marks or capitals, without spaces.
func mentions(text, name string) bool {
	asName := len(wordsOf(name)) > 1 || strings.ToLower(name) != name
	return asName && slices.Contains(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("`'\"(),:;", r)
	}), name)
}

// common are words in the names of servers that tell nothing of them.
var common = map[string]bool{"mcp": true, "server": true, "api": true, "official": true}

// namedIn returns the servers of which all telling words are among those of an
// intent.
func namedIn(words, servers []string) []string {
	var out []string
	for _, server := range servers {
		telling := slices.DeleteFunc(wordsOf(server), func(w string) bool { return common[w] })
		missing := func(w string) bool { return !slices.Contains(words, w) }
		if len(telling) > 0 && !slices.ContainsFunc(telling, missing) {
			out = append(out, server)
		}
	}
	return out
}

// wordsOf returns the words of a text or a name in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
