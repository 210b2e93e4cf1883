package prerequisites

import (
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
)

// Machine describes the properties of a machine that decide how programs are installed on it.
type Machine struct {
	OS      string // linux, darwin or windows
	Root    bool   // this process runs as root; always false on Windows
	Desktop bool   // a person can see windows that this process opens
}

// ThisMachine describes the machine on which this program runs. env is the environment of the user's session.
func ThisMachine(env process.Env) Machine {
	desktop := runtime.GOOS != "linux" || env.Get("DISPLAY") != "" || env.Get("WAYLAND_DISPLAY") != ""
	return Machine{OS: runtime.GOOS, Root: os.Geteuid() == 0, Desktop: desktop}
}

// Install describes how to install a missing program. Nothing in it comes from a listing.
type Install struct {
	// Commands are the commands to type in a terminal, in this order. It is empty if this machine has no package
	// manager that offers the program.
	Commands [][]string `json:"commands,omitempty"`
	// Run are the commands that install the program without a terminal. It is empty if there are none.
	Run [][]string `json:"run,omitempty"`
	// Root means that a command needs administrator rights, for which the system asks.
	Root bool   `json:"root,omitempty"`
	Page string `json:"page"` // URL of the official installer's page
	Note string `json:"note,omitempty"`
}

// Advice returns instructions for a person, such as "run in a terminal: brew install uv". It returns "" if i is nil.
func (i *Install) Advice() string {
	if i == nil {
		return ""
	}
	if len(i.Commands) == 0 {
		return "see " + i.Page
	}
	var lines []string
	for _, command := range i.Commands {
		lines = append(lines, strings.Join(command, " "))
	}
	return "run in a terminal: " + strings.Join(lines, " && ")
}

// manager is a package manager.
type manager struct {
	program string
	systems []string
	args    []string // arguments before the names of the packages
	root    bool
	// packages maps programs to the names of their packages. The manager does not offer programs that are missing.
	packages map[string]string
}

var managers = []manager{
	{"brew", []string{"darwin", "linux"}, []string{"install"}, false, map[string]string{
		Node: "node", UV: "uv", Python: "python", Podman: "podman", Dotnet: "dotnet", Cargo: "rust",
	}},
	{"apt-get", []string{"linux"}, []string{"install", "-y"}, true, map[string]string{
		Node: "nodejs npm", Python: "python3", Docker: "docker.io", Podman: "podman", Cargo: "cargo", pipx: "pipx",
	}},
	{"dnf", []string{"linux"}, []string{"install", "-y"}, true, map[string]string{
		Node: "nodejs nodejs-npm", UV: "uv", Python: "python3", Docker: "moby-engine", Podman: "podman", Dotnet: "dotnet-sdk-10.0",
		Cargo: "cargo",
	}},
	{"pacman", []string{"linux"}, []string{"-S", "--needed", "--noconfirm"}, true, map[string]string{
		Node: "nodejs npm", UV: "uv", Python: "python", Docker: "docker", Podman: "podman", Dotnet: "dotnet-sdk", Cargo: "rust",
	}},
	{"zypper", []string{"linux"}, []string{"--non-interactive", "install"}, true, map[string]string{
		Node: "nodejs npm", Python: "python3", Docker: "docker", Podman: "podman", Cargo: "cargo", pipx: "python3-pipx",
	}},
	{"apk", []string{"linux"}, []string{"add"}, true, map[string]string{
		Node: "nodejs npm", UV: "uv", Python: "python3", Docker: "docker", Podman: "podman", Cargo: "cargo",
	}},
	{"winget", []string{"windows"}, []string{
		"install", "--accept-package-agreements", "--accept-source-agreements", "--exact", "--id",
	}, false, map[string]string{
		Node: "OpenJS.NodeJS.LTS", UV: "astral-sh.uv", Python: "Python.Python.3.13", Docker: "Docker.DockerDesktop",
		Podman: "RedHat.Podman", Dotnet: "Microsoft.DotNet.SDK.10", Cargo: "Rustlang.Rustup",
	}},
	{pipx, []string{"linux", "darwin"}, []string{"install"}, false, map[string]string{UV: "uv"}},
}

// pipx installs uv if the package manager of the system does not offer uv.
const pipx = "pipx"

// install describes how to install a program on the machine. find returns the path of a program, or "".
func (m Machine) install(name string, find func(program string) string) *Install {
	product, _ := program.ProductOf(name)
	out := &Install{Page: product.Page}
	if len(product.Programs) > 0 {
		name = product.Programs[0]
	}
	if m.OS != "linux" && name == Podman {
		out.Note = "Afterwards, run podman machine init and podman machine start once."
	}
	if m.add(out, name, find) || name != UV || !m.add(out, pipx, find) {
		return out
	}
	for _, command := range [][]string{{pipx, "install", "uv"}, {pipx, "ensurepath"}} {
		out.Commands = append(out.Commands, command)
		if out.Run != nil {
			out.Run = append(out.Run, command)
		}
	}
	return out
}

// add adds the command with which a package manager of this machine installs a program. It returns false if no
// package manager offers the program.
func (m Machine) add(out *Install, name string, find func(program string) string) bool {
	for _, with := range managers {
		packages := strings.Fields(with.packages[name])
		if len(packages) == 0 || !slices.Contains(with.systems, m.OS) || find(with.program) == "" {
			continue
		}
		if with.program == "brew" && m.Root {
			continue // brew refuses to run as root
		}
		command := slices.Concat([]string{with.program}, with.args, packages)
		out.Commands, out.Run, out.Root = [][]string{command}, [][]string{command}, with.root
		if with.root && !m.Root {
			out.Run = nil
			if m.Desktop && find("pkexec") != "" { // pkexec asks for administrator rights in a window
				out.Run = [][]string{slices.Concat([]string{"pkexec", find(command[0])}, command[1:])}
			}
			out.Commands = [][]string{append([]string{"sudo"}, command...)}
		}
		return true
	}
	return false
}
