package secrets

// Changed is published when a server's secrets were set or deleted.
type Changed struct{ Server string }
