package secrets

// Changed is published after secrets or links of a server were changed.
type Changed struct{ Server string }
