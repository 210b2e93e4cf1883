//go:build linux && !amd64

package confinement

// Newer architectures have no older system calls. Those of other old ones are not known: their system calls are not
// filtered.
var (
	olderChown  []uint32
	olderModes  []call
	olderMakers []call
	olderTimes  []uint32
)
