package process

import (
	"maps"
	"slices"
)

// Memory returns how many bytes of memory each of some processes takes, together with
// the processes that descend from it. Memory that programs share, such as their code,
// does not count where the system tells it apart. A process that has ended has no
// element in the result.
func Memory(roots []int) map[int]uint64 {
	families := familiesOf(roots)
	own, sums := privateBytes(slices.Concat(slices.Collect(maps.Values(families))...)), make(map[int]uint64)
	for root, family := range families {
		for _, pid := range family {
			sums[root] += own[pid]
		}
		if sums[root] == 0 {
			delete(sums, root)
		}
	}
	return sums
}
