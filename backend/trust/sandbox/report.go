package sandbox

import (
	"fmt"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// Values of Report.Enforced.
const (
	Off         = "off"         // the server has no sandbox
	Enforced    = "enforced"    // everything that the level promises is enforced
	Partly      = "partly"      // everything except for Report.Missing is enforced
	Unsupported = "unsupported" // nothing is enforced
)

// Report says how far the sandbox of a server is enforced on this system.
type Report struct {
	Level    string
	Enforced string   // Off, Enforced, Partly or Unsupported
	Missing  []string // promises of the level that the system does not enforce
	Notes    []string // limits of what is enforced, and of grants
}

// Report returns how far the sandbox of a server is enforced. For remote servers,
// which have no process on this machine, Report.Enforced is Off.
func (s *Sandbox) Report(server registry.Server) Report {
	r := judge(server, s.machine)
	if server.Confined() {
		for _, root := range s.targets.moved(ofRoots) {
			r.Notes = append(r.Notes, fmt.Sprintf("the MCP root %s gives no access: it leads to %s now, and not where it led before. If that is "+
				"right, remove the root from the settings, restart the hub, and add it again", root, real(root)))
		}
	}
	if note := s.asIs.get(server.Name); note != "" && server.Confined() {
		r.Notes = append(r.Notes, note)
	}
	return r
}

// judge returns how far a machine enforces the sandbox of a server.
func judge(server registry.Server, m confinement.Machine) Report {
	r := Report{Level: server.Sandbox, Enforced: Off, Missing: []string{}, Notes: []string{}}
	if !server.Confined() {
		return r
	}
	r.Enforced = Enforced
	lacks := func(format string, args ...any) { r.Missing = append(r.Missing, fmt.Sprintf(format, args...)) }
	network := networkOf(server.Sandbox, server.Grants)
	switch {
	case runsEngine(server.Command) && refusal(server) != "":
		r.Notes = append(r.Notes, "it does not start, because "+refusal(server))
		return r
	case runsEngine(server.Command):
		r.Notes = append(r.Notes, "the container engine enforces it with the options that are added to its arguments")
		if network.Restricted && !network.None() {
			r.Notes = append(r.Notes, "a container reaches all addresses or none; the granted ones are not checked")
		}
		return r
	case !m.Confines():
		r.Enforced = Unsupported
		lacks("%s", unable(m))
		return r
	case m.OS == "windows" && m.Contained():
		judgeContained(network, lacks, &r)
	case m.OS == "windows":
		r.Enforced = Partly
		lacks("on Windows only the memory and the number of its processes are limited; files, secrets and the network are not restricted")
		return r
	case m.OS == "darwin":
		r.Notes = append(r.Notes,
			"macOS enforces it with sandbox-exec; programs with a sandbox of their own, such as browsers, do not start in it")
		if len(network.Hosts) > 0 {
			r.Notes = append(r.Notes, "the network is filtered by port only: the granted hosts are not checked")
		}
	case m.OwnTree():
		judgeTree(m, network, lacks, &r)
	default:
		judgeLandlock(m, network, lacks, &r)
	}
	if len(r.Missing) > 0 {
		r.Enforced = Partly
	}
	return r
}

// judgeTree judges a Linux on which servers get a file tree of their own.
func judgeTree(m confinement.Machine, n confinement.Network, lacks func(string, ...any), r *Report) {
	if !m.Calls {
		lacks("system calls are not filtered on this processor architecture")
	}
	if n.ByHost() {
		r.Notes = append(r.Notes, "it reaches the granted hosts by their names, and has no terminals of its own")
	}
	judgePorts(m, n, lacks, r)
}

// judgeLandlock judges a Linux on which servers see the files and processes of the machine.
func judgeLandlock(m confinement.Machine, n confinement.Network, lacks func(string, ...any), r *Report) {
	r.Notes = append(r.Notes, "bubblewrap is not installed or may not create namespaces here: the server can find out names, sizes and "+
		"times of your files, and the command lines of your programs, and cannot use /tmp, local sockets and chmod")
	switch {
	case m.ABI == 0:
		lacks("files are not restricted, because bubblewrap does not work and the kernel has no Landlock or does not use it (Linux 5.13 or " +
			"newer has it; the boot option lsm must contain landlock)")
	case m.ABI < confinement.ABITruncate:
		lacks(
			"files outside of the allowed folders can be emptied, because the kernel's Landlock has ABI %d (Linux 6.2 or newer prevents "+
				"that) and bubblewrap does not work", m.ABI,
		)
	}
	if m.ABI < confinement.ABIScopes {
		r.Notes = append(r.Notes, "it can send signals to your programs")
	}
	if !m.Calls {
		lacks("system calls are not filtered on this processor architecture, so it can change modes of your files and use sockets of your " +
			"programs")
	}
	if len(n.Hosts) > 0 {
		lacks("granted hosts cannot be told from others without bubblewrap; grant a port of all hosts, such as 443, or choose guard")
	}
	judgePorts(m, n, lacks, r)
}

// judgeContained judges a Windows on which servers run in app containers.
func judgeContained(n confinement.Network, lacks func(string, ...any), r *Report) {
	r.Notes = append(r.Notes, "Windows enforces it with an app container, as a trial run has shown; the server cannot reach addresses of this "+
		"computer, and reads the system folders and whatever else Windows opens to all app containers",
		"package managers that the hub runs itself are not confined")
	if n.Restricted && !n.None() {
		lacks("an app container reaches all addresses or none, so that granted hosts and ports cannot be told from others; grant the network " +
			"as a whole, or nothing, or choose guard")
	}
}

// judgePorts judges grants of ports of all hosts.
func judgePorts(m confinement.Machine, n confinement.Network, lacks func(string, ...any), r *Report) {
	if !n.Restricted || len(n.Ports) == 0 {
		return
	}
	if m.ABI < confinement.ABITCP {
		lacks(
			"ports are not filtered, because the kernel's Landlock has ABI %d and not %d (Linux 6.7 or newer); grant single hosts, the "+
				"network as a whole, or nothing", m.ABI, confinement.ABITCP,
		)
	}
	r.Notes = append(r.Notes, "with a granted port of all hosts, UDP is not filtered")
	if len(n.Hosts) > 0 {
		r.Notes = append(r.Notes, "the granted hosts are not checked, because a port of all hosts is granted, too")
	}
}

// unable says why a machine cannot confine processes.
func unable(m confinement.Machine) string {
	switch m.OS {
	case "linux":
		if len(m.Helper) == 0 {
			return "this program cannot start itself in place of the server"
		}
		return "the kernel has neither Landlock nor a filter of system calls for this processor architecture"
	case "darwin":
		return "sandbox-exec is missing"
	}
	return "sandboxes are not supported on this system"
}

// Describe says in one line what this system can enforce, and whether that is
// everything that the levels promise.
func Describe(helper []string) (text string, complete bool) {
	m := confinement.This(helper)
	var reports []Report
	for _, level := range []string{registry.Guard, registry.Strict} {
		reports = append(reports, judge(registry.Server{Transport: "stdio", Sandbox: level}, m))
	}
	text = fmt.Sprintf("guard is %s, strict is %s", reports[0].Enforced, reports[1].Enforced)
	if m.OS == "linux" {
		text += fmt.Sprintf(" (bubblewrap %s, Landlock ABI %d)", map[bool]string{true: "works", false: "does not work"}[m.OwnTree()], m.ABI)
	}
	missing := slices.Compact(append(reports[0].Missing, reports[1].Missing...))
	for n, lack := range missing {
		text += map[bool]string{true: ": ", false: "; "}[n == 0] + lack
	}
	return text, reports[0].Enforced != Unsupported && reports[1].Enforced == Enforced
}

// notes holds a text per server. It is safe for concurrent use.
type notes struct {
	mu   sync.Mutex
	text map[string]string
}

func (n *notes) set(server, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.text == nil {
		n.text = make(map[string]string)
	}
	if n.text[server] = text; text == "" {
		delete(n.text, server)
	}
}

func (n *notes) get(server string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text[server]
}
