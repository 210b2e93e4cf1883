package process

import (
	"os"
	"strconv"
	"strings"
)

// privateBytes returns for each process how much of its resident memory is backed by no
// file.
func privateBytes(pids []int) map[int]uint64 {
	bytes := make(map[int]uint64)
	for _, pid := range pids {
		statm, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm") // pages: size, resident, shared, …
		fields := strings.Fields(string(statm))
		if len(fields) < 3 {
			continue
		}
		resident, _ := strconv.ParseUint(fields[1], 10, 64)
		shared, _ := strconv.ParseUint(fields[2], 10, 64)
		bytes[pid] = (resident - min(shared, resident)) * uint64(os.Getpagesize())
	}
	return bytes
}
