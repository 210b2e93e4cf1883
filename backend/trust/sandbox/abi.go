package sandbox

// These are the versions of the ABI of Linux's Landlock on which something depends.
const (
	abiTruncate = 3
	abiTCP      = 4
	abiIoctl    = 5
	abiScopes   = 6
	abiSockets  = 9
)
