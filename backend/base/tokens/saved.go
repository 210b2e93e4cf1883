package tokens

// Saved returns how many tokens of a model's context Agent Discover saves:
// directly is what the definitions of all tools take if their servers are
// configured in the client itself, listed is what the client's list takes with
// Agent Discover. The result is negative if the list is longer.
func Saved(directly, listed int) int { return directly - listed }
