package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time of a process in nanoseconds: user and system time of all its threads, also of ended ones,
// without its children. /proc/PID/stat has a resolution of only 10 ms.
func cpuTime(pid int) time.Duration {
	const schedClock = 2 // CPUCLOCK_SCHED of another process; see clock_getcpuclockid(3)
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|schedClock), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// memory returns the current and the maximal resident memory of a process in bytes; 0 if unknown.
func memory(pid int) (now, peak int64) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	return kilobytes(data, "VmRSS:"), kilobytes(data, "VmHWM:")
}

func kilobytes(status []byte, field string) int64 {
	_, rest, _ := bytes.Cut(status, []byte(field))
	fields := bytes.Fields(rest[:min(len(rest), 40)])
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return n << 10
}
