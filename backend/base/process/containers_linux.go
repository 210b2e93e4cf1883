package process

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// removesContainer reports whether p, a member of trees, may be removing a podman container whose client has ended.
// Such a process is conmon, which watches the container and runs outside of the client's process group, or the podman
// process that conmon starts to remove the container.
func removesContainer(p relative, trees []Tree) bool {
	if slices.ContainsFunc(trees, func(t Tree) bool { return p.group == t.PID }) {
		return false
	}
	name, _ := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/comm")
	program := strings.TrimSpace(string(name))
	return program == "conmon" || program == "podman"
}

// servesAllContainers reports whether a process is the pause process of rootless podman, which keeps the user namespace
// open. The first podman client after a boot starts it, and all containers of the user need it.
func servesAllContainers(p relative) bool {
	line, _ := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/cmdline")
	arguments := strings.Split(string(line), "\x00")
	return len(arguments) > 1 && path.Base(arguments[0]) == "catatonit" && arguments[1] == "-P"
}
