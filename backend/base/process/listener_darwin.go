package process

import (
	"context"
	"os/exec"
	"strconv"
	"time"
)

// OwnerOf returns the process that listens on a TCP port of this machine. It does not find processes of other users.
func OwnerOf(ctx context.Context, port int) (Listener, bool) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, "/usr/sbin/lsof", "-nP", "-iTCP:"+strconv.Itoa(port), "-sTCP:LISTEN", "-FpcL").Output()
	return ownerInLsof(string(out))
}
