package process

import (
	"maps"
	"slices"
)

// Memory returns for each process in roots how many bytes of memory the process and its
// descendants use. Memory that programs share, such as their code, does not count if the
// system reports it separately. The result has no element for a process that has ended.
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
