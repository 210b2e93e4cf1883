package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time that a process has used, in user and system mode and over all its threads, living
// and ended, to the nanosecond; /proc/PID/stat knows it in hundredths of a second only. Its children do not count.
func cpuTime(pid int) time.Duration {
	const schedClock = 2 // CPUCLOCK_SCHED of another process's clock, see clock_getcpuclockid(3)
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|schedClock), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// memory returns what a process holds and has held at most, in bytes; 0 when that is not known.
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
