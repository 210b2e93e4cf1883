package finding

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// batchCandidates is how many tools of an intent rankBatch may reorder.
const batchCandidates = 10

// rankBatch raises the score of a tool by a share of the score: the sum of the lifts that apply, but at most maxLift.
const (
	namedLift  = 0.10 // an intent of the batch names the server
	highLift   = 0.10 // another intent matches the server with high confidence
	mediumLift = 0.05 // another intent matches the server with medium confidence
	maxLift    = 0.15 // limit of the sum of these shares
	nearBest   = 0.80 // share of the best score that a tool must reach to be lifted
)

// rankBatch ranks the results of a batch again, because the intents of one batch are mostly meant for the same servers.
// It lifts the score of a tool if another intent names or matches the tool's server. If an intent names servers itself,
// only the tools of these servers are lifted for this intent. Results with high confidence stay as they are. The
// results keep the order of the intents; the given slices are not changed.
func rankBatch(intents []string, results []search.Result) []search.Result {
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

// liftsFor returns, by server, the share by which the scores of the server's tools are lifted for intent i. If intent i
// names servers itself, the other intents do not count.
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
			continue // the same intent again is not evidence for a server
		}
		for _, server := range named[j] {
			lifts[server] += namedLift
		}
		if other.Found {
			lift := map[search.Confidence]float64{search.High: highLift, search.Medium: mediumLift}
			lifts[other.Hits[0].Tool.Server] += lift[other.Confidence]
		}
	}
	return lifts
}

// lifted returns a result with lifted scores, sorted again. It lifts only hits near the best one; if the intent
// names the best tool exactly, it lifts only tools of the same name.
func lifted(intent string, result search.Result, lifts map[string]float64) search.Result {
	best := result.Hits[0]
	exact := slices.Equal(wordsOf(intent), wordsOf(best.Tool.Name)) || mentions(intent, best.Tool.Name)
	result.Hits = slices.Clone(result.Hits)
	for i, hit := range result.Hits {
		if hit.Score >= nearBest*best.Score && (!exact || hit.Tool.Name == best.Tool.Name) {
			result.Hits[i].Score = min(1, hit.Score*(1+min(lifts[hit.Tool.Server], maxLift)))
		}
	}
	slices.SortStableFunc(result.Hits, func(a, b search.Hit) int { return cmp.Compare(b.Score, a.Score) })
	result.TopScore = result.Hits[0].Score
	return result
}

// mentions reports whether a text contains a tool's name written as an
// identifier, such as create_issue or createIssue, and not as ordinary words.
func mentions(text, name string) bool {
	asName := len(wordsOf(name)) > 1 || strings.ToLower(name) != name
	return asName && slices.Contains(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("`'\"(),:;", r)
	}), name)
}

// common are words that occur in the names of many servers.
var common = map[string]bool{"mcp": true, "server": true, "api": true, "official": true}

// namedIn returns the servers whose names occur in words, the words of an intent. Words that many server names contain,
// such as mcp, need not occur.
func namedIn(words, servers []string) []string {
	var out []string
	for _, server := range servers {
		distinguishing := slices.DeleteFunc(wordsOf(server), func(w string) bool { return common[w] })
		missing := func(w string) bool { return !slices.Contains(words, w) }
		if len(distinguishing) > 0 && !slices.ContainsFunc(distinguishing, missing) {
			out = append(out, server)
		}
	}
	return out
}

// wordsOf returns the words of a text or name in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
