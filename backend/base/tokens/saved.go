package tokens

// Saved returns how many tokens of a model's context Agent Discover saves.
// directly is the number of tokens that all tool definitions would take if the
// servers were configured in the client itself. listed is the number that the
// client's tool list takes with Agent Discover. The result is negative if listed
// is larger.
func Saved(directly, listed int) int { return directly - listed }
