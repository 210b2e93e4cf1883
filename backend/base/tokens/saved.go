package tokens

// Saved returns how many tokens of a model's context Agent Discover saves.
// directly is the number of tokens of all tool definitions if the servers were
// configured in the client itself, listed that of the client's tool list with
// Agent Discover. The result is negative if listed is larger.
func Saved(directly, listed int) int { return directly - listed }
