package process

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// removesContainer reports whether a member of trees is part of podman and may be removing a container whose client has
// ended: conmon, which watches the container outside of the client's process group, or the podman that conmon then starts.
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
