package sandbox

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// box is what the level and the grants of a server say about options of its container.
type box struct {
	strict  bool
	offline bool // the container gets no network
}

func boxOf(level string, grants registry.Grants) box {
	return box{strict: level == registry.Strict, offline: networkOf(level, grants).None()}
}

// runOption is an option of the command run of container engines that a confined server may have.
type runOption struct {
	name  string // long form without --
	short byte   // 0 if the option has no short form
	flag  bool   // the option has no value
	// problem returns why a value is forbidden, "" if it is allowed. If it is nil, every value is allowed.
	problem func(value string, b box) string
}

// runOptions are all options that a confined server may have. The options volume and mount are also checked by
// mountable, because the paths in them must be granted. docker, podman and nerdctl give the names the same meaning.
var runOptions = []runOption{
	{name: "add-host", problem: hostProblem},
	{name: "attach", short: 'a', problem: matching(`(?i)stdin|stdout|stderr`)},
	{name: "cap-drop", problem: matching(`[A-Za-z_]+`)},
	{name: "cgroupns", problem: matching(`private`)},
	{name: "cpus", problem: processors},
	{name: "dns", problem: matching(`[0-9A-Fa-f.:]+`)},
	{name: "dns-search", problem: matching(`[A-Za-z0-9_.-]+`)},
	{name: "entrypoint"},
	{name: "env", short: 'e', problem: variableProblem},
	{name: "expose", problem: matching(`[0-9-]+(?:/[a-z]+)?`)},
	{name: "hostname", short: 'h', problem: matching(`[A-Za-z0-9.-]+`)},
	{name: "init", flag: true},
	{name: "interactive", short: 'i', flag: true},
	{name: "ipc", problem: matching(`private|none`)},
	{name: "label", short: 'l', problem: labelProblem},
	{name: "log-driver", problem: matching(`none|local|json-file|k8s-file`)},
	{name: "log-opt", problem: matching(`max-size=[0-9]+[kmg]?|max-file=[0-9]+`)},
	{name: "memory", short: 'm', problem: bytesAtMost(maxMemory)},
	{name: "mount"},
	{name: "name", problem: matching(plainName)},
	{name: "network", problem: networkProblem},
	{name: "network-alias", problem: matching(plainName)},
	{name: "no-healthcheck", flag: true},
	{name: "pid", problem: matching(`private`)},
	{name: "pids-limit", problem: processes},
	{name: "platform", problem: matching(`[A-Za-z0-9._/-]+`)},
	{name: "publish", short: 'p', problem: portProblem},
	{name: "pull", problem: matching(`always|missing|never|newer`)},
	{name: "quiet", short: 'q', flag: true},
	{name: "read-only", flag: true, problem: matching(`true`)},
	{name: "restart", problem: matching(`no`)},
	{name: "rm", flag: true},
	{name: "security-opt", problem: matching(`no-new-privileges(?:[:=]true)?`)},
	{name: "shm-size", problem: bytesAtMost(maxMemory)},
	{name: "sig-proxy", flag: true},
	{name: "stop-signal", problem: matching(`[A-Z0-9+]+`)},
	{name: "stop-timeout", problem: matching(`[0-9]{1,4}`)},
	{name: "tmpfs", problem: matching(`/[^:,"\x00-\x1f]*(?::[a-z0-9=,]+)?`)},
	{name: "tty", short: 't', flag: true},
	{name: "ulimit", problem: matching(`(?:nofile|nproc|core|fsize|stack|memlock)=-?[0-9]+(?::-?[0-9]+)?`)},
	{name: "user", short: 'u', problem: matching(`[A-Za-z0-9_.-]+(?::[A-Za-z0-9_.-]+)?`)},
	{name: "userns", problem: matching(`auto|keep-id`)},
	{name: "uts", problem: matching(`private`)},
	{name: "volume", short: 'v'},
	{name: "workdir", short: 'w'},
}

// plainName matches names of containers, networks and volumes, which are neither paths nor contain options.
const plainName = `[A-Za-z0-9][A-Za-z0-9_.-]*`

// The largest limits that a server can choose, which are also those that it gets without choosing.
const (
	maxMemory     = 2 << 30
	maxProcesses  = 512
	maxProcessors = 2
)

// otherNames are further names of options.
var otherNames = map[string]string{"net": "network", "net-alias": "network-alias"}

// dangers are the reasons why options are forbidden, by their names. Options in neither runOptions nor dangers are
// forbidden, too.
var dangers = func() map[string]string {
	out := map[string]string{
		"detach":         "starts a container that does not answer the hub",
		"publish-all":    "opens ports of this computer to other computers",
		"volume-driver":  "lets another program choose what is mounted",
		"use-api-socket": "gives the container the socket of the engine",
	}
	for _, name := range strings.Fields("privileged cap-add device device-cgroup-rule gpus volumes-from runtime cgroup-parent group-add " +
		"pod rootfs sysctl annotation link") {
		out[name] = "gives the container rights over this computer or other containers"
	}
	for _, name := range strings.Fields("env-file label-file cidfile secret authfile cert-dir creds env-host pidfile conmon-pidfile " +
		"pod-id-file init-path hooks-dir seccomp-policy") {
		out[name] = "lets the client of the engine use files or variables of yours"
	}
	return out
}()

// shortDangers are the long names of those short options that are in dangers.
var shortDangers = map[byte]string{'d': "detach", 'P': "publish-all"}

// optionNamed returns an option by its long name, and nil if it is forbidden.
func optionNamed(name string) *runOption {
	if other := otherNames[name]; other != "" {
		name = other
	}
	if at := slices.IndexFunc(runOptions, func(o runOption) bool { return o.name == name }); at >= 0 {
		return &runOptions[at]
	}
	return nil
}

// optionShort returns an option by its short name, and nil if it is forbidden.
func optionShort(letter byte) *runOption {
	if at := slices.IndexFunc(runOptions, func(o runOption) bool { return o.short == letter }); at >= 0 && letter != 0 {
		return &runOptions[at]
	}
	return nil
}

// forbidden returns why an option is forbidden that runOptions does not have.
func forbidden(name string) string {
	if why := dangers[name]; why != "" {
		return why
	}
	return "is not one of those that confined containers may have"
}

// matching returns a check that forbids values that do not match a pattern as a whole.
func matching(pattern string) func(string, box) string {
	compiled := lazyregexp.New(`^(?:` + pattern + `)$`)
	return func(value string, _ box) string {
		if compiled.MatchString(value) {
			return ""
		}
		return fmt.Sprintf("may not have the value %q", value)
	}
}

var amount = lazyregexp.New(`^([0-9]{1,12})([bkmg]?)b?$`)

// bytesAtMost returns a check that forbids sizes that are larger, and 0, which stands for no limit.
func bytesAtMost(most int64) func(string, box) string {
	return func(value string, _ box) string {
		parts := amount.FindStringSubmatch(strings.ToLower(value))
		if parts == nil {
			return fmt.Sprintf("may not have the value %q", value)
		}
		number, _ := strconv.ParseInt(parts[1], 10, 64)
		unit := int64(1) << (10 * max(strings.Index("bkmg", parts[2]), 0))
		if number == 0 || number > most/unit {
			return fmt.Sprintf("is limited to %dg", most>>30)
		}
		return ""
	}
}

// processes forbids more processes than maxProcesses, and -1 and 0, which stand for no limit.
func processes(value string, _ box) string {
	if n, err := strconv.Atoi(value); err != nil || n < 1 || n > maxProcesses {
		return fmt.Sprintf("is limited to %d", maxProcesses)
	}
	return ""
}

var decimal = lazyregexp.New(`^[0-9](?:\.[0-9]{1,4})?$`)

// processors forbids more processors than maxProcessors, and so few that an engine rounds them to 0, which stands for no
// limit.
func processors(value string, _ box) string {
	if n, err := strconv.ParseFloat(value, 64); err != nil || !decimal.MatchString(value) || n < 0.01 || n > maxProcessors {
		return fmt.Sprintf("is limited to %d", maxProcessors)
	}
	return ""
}

var variable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// variableProblem forbids patterns of names, with which podman passes on several variables. It does not show the value.
func variableProblem(value string, _ box) string {
	if name, _, _ := strings.Cut(value, "="); !variable.MatchString(name) {
		return "needs the form NAME or NAME=VALUE"
	}
	return ""
}

// labelProblem forbids the labels by which the hub finds containers.
func labelProblem(value string, _ box) string {
	if strings.HasPrefix(value, "agent-discover.") {
		return "may not set labels of Agent Discover"
	}
	return ""
}

// networkProblem forbids networks of other containers and of the computer, and all networks if the container is offline.
func networkProblem(value string, b box) string {
	switch {
	case value == "none":
	case strings.EqualFold(value, "host"):
		return "gives the container the network of this computer"
	case b.offline:
		return "connects the container, but the network is not granted"
	default:
		return matching(plainName)(value, b)
	}
	return ""
}

// hostProblem allows names for addresses. In a strict sandbox, the address of this computer has no name.
func hostProblem(value string, b box) string {
	at := strings.IndexAny(value, ":=")
	if at < 1 {
		return "needs the form NAME:ADDRESS"
	}
	address := strings.Trim(value[at+1:], "[]")
	_, err := netip.ParseAddr(address)
	switch {
	case address == "host-gateway" && b.strict:
		return "leads to this computer"
	case address != "host-gateway" && err != nil:
		return "needs the form NAME:ADDRESS"
	}
	return ""
}

var ownPort = lazyregexp.New(`^(?:127\.0\.0\.1|\[::1\]):[0-9-]*:[0-9-]+(?:/(?:tcp|udp))?$`)

// portProblem allows ports that only programs on this computer reach, unless the sandbox is strict.
func portProblem(value string, b box) string {
	switch {
	case b.strict:
		return "opens a port of this computer"
	case !ownPort.MatchString(value):
		return "opens a port to other computers; write -p 127.0.0.1:PORT:PORT"
	}
	return ""
}
