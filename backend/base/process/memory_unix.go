//go:build unix

package process

// familiesOf maps the pid of each running process in roots to the pids of that process and of its descendants.
func familiesOf(roots []int) map[int][]int {
	children, running := make(map[int][]int), make(map[int]bool)
	for _, p := range processes() {
		children[p.parent] = append(children[p.parent], p.PID)
		running[p.PID] = true
	}
	families := make(map[int][]int)
	for _, root := range roots {
		if !running[root] {
			continue
		}
		family := []int{root}
		for i := 0; i < len(family); i++ {
			family = append(family, children[family[i]]...)
		}
		families[root] = family
	}
	return families
}
