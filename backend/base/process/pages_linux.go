package process

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// ReleasePages reduces the memory of an idle program. It gives back to the system
// the pages in memory that come from the program's file: code, constants and
// embedded data. The system loads a page again when it is next used, usually from
// the file cache.
func ReleasePages() error {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("release pages: %w", err)
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return fmt.Errorf("release pages: %w", err)
	}
	defer func() { _ = maps.Close() }() // opened only for reading
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		// Releasing a written page of a private mapping would discard its content. Only
		// mappings without write permission are therefore released.
		var from, to uintptr
		var rights string
		line := lines.Text()
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &rights); err != nil || !strings.HasSuffix(line, " "+program) {
			continue
		}
		if rights != "r--p" && rights != "r-xp" {
			continue
		}
		if _, _, failed := unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED); failed != 0 {
			return fmt.Errorf("release pages: %w", failed)
		}
	}
	return lines.Err()
}
