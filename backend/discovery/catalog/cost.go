package catalog

import "github.com/agent-discover/agent-discover/backend/base/tokens"

// Cost is the size of tool definitions in a model's context.
type Cost struct {
	Tools  int // number of definitions
	Tokens int // total size (o200k_base), without uncounted definitions
	// Deferred is the part of Tokens that is not in the context from the start, because
	// the client shows its model only the names of tools and loads a definition when the
	// model looks for the tool.
	Deferred  int
	Uncounted int     // definitions whose tokens are not counted yet
	Share     float64 // Loaded as a share of tokens.Window
}

// CostOf returns the cost of tools for a client that defers definitions if there are at
// least defersFrom tools. 0 means that it never defers.
func CostOf(tools []*Tool, defersFrom int) Cost {
	c := Cost{Tools: len(tools)}
	for _, t := range tools {
		if t.Tokens == 0 {
			c.Uncounted++
		}
		c.Tokens += t.Tokens
	}
	if defersFrom > 0 && len(tools) >= defersFrom {
		c.Deferred = max(c.Tokens-NameTokens(tools), 0)
	}
	c.Share = tokens.Share(c.Tokens - c.Deferred)
	return c
}

// Loaded returns the tokens that are in the context from the start.
func (c Cost) Loaded() int { return c.Tokens - c.Deferred }

// NameTokens estimates the tokens that the names of tools take in the context of a client
// that defers their definitions.
func NameTokens(tools []*Tool) (sum int) {
	for _, t := range tools {
		sum += tokens.Estimate(t.CallAs()) + 1 // each on its own line
	}
	return sum
}
