package sandbox

// Versions of Linux's Landlock ABI, each with the name of a feature that it introduced.
const (
	abiTruncate = 3
	abiTCP      = 4
	abiIoctl    = 5
	abiScopes   = 6
	abiSockets  = 9
)
