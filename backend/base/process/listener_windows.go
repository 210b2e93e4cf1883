package process

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// OwnerOf returns the process that listens on a TCP port of this machine, without the name of its program.
func OwnerOf(ctx context.Context, port int) (Listener, bool) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	netstat := filepath.Join(os.Getenv("SystemRoot"), "System32", "netstat.exe")
	out, _ := exec.CommandContext(ctx, netstat, "-ano", "-p", "TCP").Output()
	return ownerInNetstat(string(out), port)
}
