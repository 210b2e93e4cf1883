package sandbox

import (
	"fmt"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
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
	if note := s.asIs.get(server.Name); note != "" && server.Confined() {
		r.Notes = append(r.Notes, note)
	}
	return r
}

// machine says what a system can enforce.
type machine struct {
	os     string
	abi    int      // version of Linux's Landlock; 0 without it
	calls  bool     // whether system calls can be filtered
	helper []string // command that confines itself and then becomes the server
	// wrapper starts processes in new namespaces on Linux. It may be nil.
	wrapper *bubblewrap
}

// confines reports whether processes can be confined at all.
func (m machine) confines() bool {
	switch m.os {
	case "linux":
		return len(m.helper) > 0 && (m.abi > 0 || m.calls)
	case "darwin":
		return len(m.helper) > 0
	}
	return m.os == "windows"
}

// judge returns how far a machine enforces the sandbox of a server.
func judge(server registry.Server, m machine) Report {
	r := Report{Level: server.Sandbox, Enforced: Off, Missing: []string{}, Notes: []string{}}
	if !server.Confined() {
		return r
	}
	r.Enforced = Enforced
	strict := server.Sandbox == registry.Strict
	lacks := func(format string, args ...any) { r.Missing = append(r.Missing, fmt.Sprintf(format, args...)) }
	network := networkOf(server.Sandbox, server.Grants)
	switch {
	case program.ContainerRun(server.Command, server.Args) >= 0:
		r.Notes = append(r.Notes, "the container engine enforces it with the options that are added to its arguments")
		if network.restricted && !network.none() {
			r.Notes = append(r.Notes, "a container reaches all addresses or none; the granted ones are not checked")
		}
		return r
	case !m.confines():
		r.Enforced = Unsupported
		lacks("%s", m.unable())
		return r
	case m.os == "windows":
		r.Enforced = Partly
		lacks("on Windows only the memory and the number of its processes are limited; files, secrets and the network are not restricted")
		return r
	case m.os == "darwin":
		r.Notes = append(r.Notes,
			"macOS enforces it with sandbox-exec; programs with a sandbox of their own, such as browsers, do not start in it")
	default:
		m.judgeLinux(strict, network, lacks, &r)
	}
	if len(network.hosts) > 0 {
		r.Notes = append(r.Notes, "the network is filtered by port only: the granted hosts are not checked")
	}
	if len(r.Missing) > 0 {
		r.Enforced = Partly
	}
	return r
}

func (m machine) judgeLinux(strict bool, n network, lacks func(string, ...any), r *Report) {
	switch {
	case m.abi == 0:
		lacks("the kernel has no Landlock or does not use it, so files are not restricted (Linux 5.13 or newer has it; the boot option " +
			"lsm must contain landlock)")
	case m.abi < abiTruncate:
		lacks(
			"files outside of the allowed folders can be emptied, because the kernel's Landlock has ABI %d (Linux 6.2 or newer prevents "+
				"that)", m.abi,
		)
	}
	if !m.calls {
		lacks("system calls are not filtered on this processor architecture")
	}
	if !strict && m.abi < abiSockets {
		lacks(
			"sockets of the keyring and of container engines can be reached by their path, because the kernel's Landlock has ABI %d and "+
				"not %d", m.abi, abiSockets,
		)
	}
	if strict && m.wrapper != nil && m.wrapper.works() != "" {
		r.Notes = append(r.Notes, "bubblewrap works here and gives it processes and, without a network grant, a network of its own")
	}
	if !n.restricted || n.none() {
		return
	}
	if m.abi < abiTCP {
		lacks(
			"ports are not filtered, because the kernel's Landlock has ABI %d and not %d (Linux 6.7 or newer); grant the network as a "+
				"whole or not at all", m.abi, abiTCP,
		)
	}
	r.Notes = append(r.Notes, "with a network grant, UDP is not filtered")
}

// unable says why a machine cannot confine processes.
func (m machine) unable() string {
	switch m.os {
	case "linux":
		if len(m.helper) == 0 {
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
	m := thisMachine(helper)
	var reports []Report
	for _, level := range []string{registry.Guard, registry.Strict} {
		reports = append(reports, judge(registry.Server{Transport: "stdio", Sandbox: level}, m))
	}
	text = fmt.Sprintf("guard is %s, strict is %s", reports[0].Enforced, reports[1].Enforced)
	if m.os == "linux" && m.abi > 0 {
		text += fmt.Sprintf(" (Landlock ABI %d)", m.abi)
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
