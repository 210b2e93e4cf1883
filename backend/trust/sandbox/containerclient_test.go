//go:build unix

package sandbox

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// creation is the part of a request to create a container that says what the container may do.
type creation struct {
	HostConfig struct {
		Binds, CapAdd, CapDrop, SecurityOpt, VolumesFrom                 []string
		Mounts                                                           []struct{ Type, Source string }
		Devices, DeviceRequests, DeviceCgroupRules                       []any
		PortBindings                                                     map[string][]struct{ HostIP string }
		NetworkMode, PidMode, IpcMode, UTSMode, UsernsMode, CgroupnsMode string
		CgroupParent, Runtime, VolumeDriver, ContainerIDFile             string
		Privileged, PublishAllPorts                                      bool
		PidsLimit, Memory, NanoCpus                                      int64
	}
}

// opens returns what a container of this kind gets that it may not have, "" if nothing.
func (c creation) opens(p confinement.Policy) string {
	h := c.HostConfig
	for _, bind := range h.Binds {
		parts := append(strings.Split(bind, ":"), "")
		if !volumeName.MatchString(parts[0]) &&
			!p.Allows(parts[0], !slices.Contains(strings.Split(parts[2], ","), "ro")) {
			return bind
		}
	}
	for _, m := range h.Mounts {
		if m.Type == "bind" && !p.Allows(m.Source, false) {
			return m.Source
		}
	}
	for _, ports := range h.PortBindings {
		for _, port := range ports {
			if port.HostIP != "127.0.0.1" && port.HostIP != "::1" {
				return "port of " + port.HostIP
			}
		}
	}
	switch {
	case h.Privileged || h.PublishAllPorts || len(h.CapAdd)+len(h.Devices)+len(h.DeviceRequests)+len(h.DeviceCgroupRules) > 0:
		return "privileges"
	case !slices.Contains(h.CapDrop, "ALL") || !slices.Contains(h.SecurityOpt, "no-new-privileges"):
		return "capabilities"
	case h.Memory < 1 || h.Memory > maxMemory || h.PidsLimit < 1 || h.PidsLimit > maxProcesses ||
		h.NanoCpus < 1 || h.NanoCpus > maxProcessors*1e9:
		return "no limits"
	case h.CgroupParent+h.Runtime+h.VolumeDriver+h.ContainerIDFile != "" || len(h.VolumesFrom) > 0:
		return "other parts of the engine"
	}
	for _, mode := range []string{h.NetworkMode, h.PidMode, h.IpcMode, h.UTSMode, h.UsernsMode, h.CgroupnsMode} {
		if mode == "host" || strings.Contains(mode, ":") {
			return "namespace " + mode
		}
	}
	return ""
}

// engine listens for requests to create containers, and returns the address and the requests. It creates none.
func engine(t *testing.T) (address string, requests chan creation) {
	t.Helper()
	requests = make(chan creation, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("/_ping", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Api-Version", "1.50") })
	mux.HandleFunc("POST /v1.50/images/create", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /v1.50/containers/create", func(w http.ResponseWriter, r *http.Request) {
		var c creation
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			t.Error(err)
		}
		requests <- c
		http.Error(w, `{"message":"this engine runs nothing"}`, http.StatusBadRequest)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return "tcp://" + listener.Addr().String(), requests
}

func TestTheClientOfDockerReadsAllowedArgumentsInTheSameWay(t *testing.T) {
	docker, err := exec.LookPath("docker")
	if err != nil {
		t.Skip("docker is not installed")
	}
	u := newAda(t)
	address, requests := engine(t)
	for _, level := range []string{registry.Guard, registry.Strict} {
		rows := allowed
		if level == registry.Guard {
			rows = slices.Concat(allowed, onlyGuard)
		}
		for _, row := range rows {
			_, l, err := u.confine(level, row.line, nil)
			if err != nil {
				t.Errorf("%s: %v", row.line, err)
				continue
			}
			cmd := exec.Command(docker, l.Args...)
			cmd.Dir = u.home
			cmd.Env = []string{"DOCKER_HOST=" + address, "DOCKER_CONFIG=" + filepath.Join(u.home, "config"), "PATH=" + os.Getenv("PATH")}
			out, _ := cmd.CombinedOutput()
			select {
			case c := <-requests:
				if opened := c.opens(u.sandbox.mountable(u.sandbox.placeOf(l), registry.Server{Grants: u.grants})); opened != "" {
					t.Errorf("%s %s: the container gets %s", level, row.line, opened)
				}
			default:
				t.Errorf("%s %s: the client did not understand it: %s", level, row.line, out)
			}
		}
	}
}

// FuzzAllowedArgumentsMountOnlyWhatIsGranted joins lines of arguments. HOME stands for the home folder.
func FuzzAllowedArgumentsMountOnlyWhatIsGranted(f *testing.F) {
	for n, row := range refused {
		f.Add(row.line, allowed[n%len(allowed)].line)
	}
	for _, row := range slices.Concat(allowed, onlyGuard) {
		f.Add("run", row.line)
		f.Add(row.line, "")
	}
	u := newAda(f)
	f.Fuzz(func(t *testing.T, first, second string) {
		for _, level := range []string{registry.Guard, registry.Strict} {
			line := first + " " + strings.TrimPrefix(second, "run ")
			_, l, err := u.confine(level, line, nil)
			if err != nil {
				continue
			}
			p := u.sandbox.mountable(u.sandbox.placeOf(l), registry.Server{Grants: u.grants})
			run := slices.Index(l.Args, "run")
			for _, arg := range l.Args[run+1:] {
				option, isOption := strings.CutPrefix(arg, "--")
				if !isOption {
					break // the image
				}
				name, value, inline := strings.Cut(option, "=")
				if !inline || optionNamed(name) == nil && !slices.Contains([]string{"cap-drop", "security-opt"}, name) {
					t.Fatalf("%q: option %q", line, arg)
				}
				checkMounted(t, p, name, value)
			}
		}
	})
}

// checkMounted fails unless an option mounts nothing of the computer that is not granted.
func checkMounted(t *testing.T, p confinement.Policy, name, value string) {
	t.Helper()
	source, readOnly := "", false
	switch name {
	case "volume":
		parts := append(strings.Split(value, ":"), "", "")
		if parts[1] == "" {
			return // a new volume
		}
		source, readOnly = parts[0], slices.Contains(strings.Split(parts[2], ","), "ro")
		if len(strings.Split(value, ":")) > 3 {
			t.Fatalf("parts: %q", value)
		}
	case "mount":
		for part := range strings.SplitSeq(value, ",") {
			if path, ok := strings.CutPrefix(part, "source="); ok {
				source = path
			}
			readOnly = readOnly || part == "readonly"
		}
	default:
		return
	}
	if source != "" && !volumeName.MatchString(source) && !p.Allows(real(source), !readOnly) {
		t.Fatalf("mounted: --%s=%q", name, value)
	}
}
