package onboarding

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// longestNeed is the number of words of a need.
const longestNeed = 6

// needOf returns a need that one of the tools meets: the beginning of the shortest description, without the characters
// that a shell would interpret.
func needOf(tools []*catalog.Tool) string {
	need := ""
	for _, t := range tools {
		line, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
		words := strings.Fields(strings.ToLower(line))
		words = words[:min(len(words), longestNeed)]
		if text := strings.TrimRight(strings.Join(words, " "), ".,:;"); len(words) > 2 && (need == "" || len(text) < len(need)) {
			need = text
		}
	}
	if need == "" {
		need = strings.NewReplacer("_", " ", "-", " ").Replace(tools[0].Name)
	}
	return strings.Map(func(r rune) rune {
		if safetext.Hidden(r) || strings.ContainsRune("`'\"$\\()<>|&;*?!#", r) { // the need is shown as words of a command
			return -1
		}
		return r
	}, need)
}
