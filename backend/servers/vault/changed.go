package vault

// Changed is published after secrets of a server, or its links to secrets of
// other servers, were changed.
type Changed struct{ Server string }
