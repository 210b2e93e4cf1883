//go:build market && linux

package market_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// containedStation is an MCP server in Go, which is built into a single static file.
const containedStation = `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

var version string

func main() {
	results := map[string]string{
		"initialize": "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"weather\",\"version\":\"" + version + "\"}}",
		"tools/list": "{\"tools\":[{\"name\":\"forecast\",\"description\":\"Forecasts the weather\",\"inputSchema\":{\"type\":\"object\"}}]}",
		"tools/call": "{\"content\":[{\"type\":\"text\",\"text\":\"sunny in " + os.Getenv("PLACE") + "\"}]}",
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		if result, ok := results[m.Method]; ok {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", m.ID, result)
		} else {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,\"message\":\"unknown method\"}}\n", m.ID)
		}
	}
}
`

// images is a registry of container images on loopback that has one image.
type images struct {
	*httptest.Server
	blobs     map[string][]byte // by digest
	manifests map[string][]byte // by tag and by digest
}

const (
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar"
)

func newImages(t *testing.T) *images {
	t.Helper()
	r := &images{blobs: make(map[string][]byte), manifests: make(map[string][]byte)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		rest, found := strings.CutPrefix(req.URL.Path, "/v2/ada/weather/")
		kind, name, _ := strings.Cut(rest, "/")
		content, ok := r.blobs[name]
		if kind == "manifests" {
			content, ok = r.manifests[name]
			w.Header().Set("Content-Type", manifestType)
		}
		switch {
		case req.URL.Path == "/v2/":
		case !found || !ok:
			http.NotFound(w, req)
		default:
			w.Header().Set("Docker-Content-Digest", digestOf(content))
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			_, _ = w.Write(content) // fails if the client has left; net/http omits the body for HEAD
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// image returns the name of the image with a tag.
func (r *images) image(tag string) string {
	return strings.TrimPrefix(r.URL, "http://") + "/ada/weather:" + tag
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// push builds the server with a version and adds an image that contains it.
func (r *images) push(t *testing.T, version string) {
	t.Helper()
	folder := t.TempDir()
	source, program := hubtest.WriteFile(t, filepath.Join(folder, "main.go"), containedStation), filepath.Join(folder, "station")
	build := exec.Command("go", "build", "-ldflags=-s -w -X main.version="+version, "-o", program, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	var layer bytes.Buffer
	archive := tar.NewWriter(&layer)
	err = archive.WriteHeader(&tar.Header{Name: "station", Mode: 0o755, Size: int64(len(content))})
	if err == nil {
		_, err = archive.Write(content)
	}
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	add := func(kind string, content []byte) map[string]any {
		r.blobs[digestOf(content)] = content
		return map[string]any{"mediaType": kind, "digest": digestOf(content), "size": len(content)}
	}
	encode := func(v any) []byte {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	config := encode(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux", "config": map[string]any{"Entrypoint": []string{"/station"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{digestOf(layer.Bytes())}},
	})
	manifest := encode(map[string]any{
		"schemaVersion": 2, "mediaType": manifestType, "config": add(configType, config), "layers": []any{add(layerType, layer.Bytes())},
	})
	r.manifests[version], r.manifests[digestOf(manifest)] = manifest, manifest
}

// podmanHome makes a home folder whose login shell has podman with an empty storage. podman accepts the registry
// without TLS. podmanHome skips the test if podman cannot run the image. The returned function runs podman with
// this storage.
func podmanHome(t *testing.T, r *images) (podman func(args ...string) (string, error)) {
	t.Helper()
	if _, err := exec.LookPath("podman"); err != nil {
		t.Skip("podman is not installed: run make test-market")
	}
	folder, err := os.MkdirTemp("", "pod") // podman allows at most 50 characters for the path of its state
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"CONTAINERS_STORAGE_CONF": hubtest.WriteFile(t, filepath.Join(folder, "storage.conf"),
			fmt.Sprintf("[storage]\ndriver = \"vfs\"\ngraphroot = %q\nrunroot = %q\n", folder+"/images", folder+"/run")),
		"CONTAINERS_REGISTRIES_CONF": hubtest.WriteFile(t, filepath.Join(folder, "registries.conf"),
			fmt.Sprintf("[[registry]]\nlocation = %q\ninsecure = true\n", strings.TrimPrefix(r.URL, "http://"))),
	}
	podman = func(args ...string) (string, error) {
		command := exec.Command("podman", args...)
		for name, value := range env {
			command.Env = append(command.Env, name+"="+value)
		}
		command.Env = append(os.Environ(), command.Env...)
		output, err := command.CombinedOutput()
		return strings.TrimSpace(string(output)), err
	}
	t.Cleanup(func() { // without root, the folders belong to other users and RemoveAll fails
		_, _ = podman("system", "reset", "--force")
	})
	if output, err := podman("pull", r.image("1.0.0")); err != nil {
		t.Skipf("podman cannot download an image: %s", output)
	}
	// podman's default limits and runtime do not work in every container or virtual machine.
	limits := fmt.Sprintf("[containers]\ndefault_ulimits = [\"nofile=%d:%d\", \"nproc=1024:1024\"]\n", limit.Max, limit.Max)
	var output string
	for n, config := range []string{"", limits, limits + "[engine]\nruntime = \"runc\"\n"} {
		env["CONTAINERS_CONF"] = hubtest.WriteFile(t, filepath.Join(folder, fmt.Sprint(n, ".conf")), config)
		if output, err = podman("run", "-i", "--rm", r.image("1.0.0")); err == nil {
			break
		}
	}
	if err != nil {
		t.Skipf("podman cannot run containers here: %s", output)
	}
	if output, err := podman("image", "rm", "--all"); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	loginHome(t, "/usr/bin:/bin:/usr/sbin", env)
	return podman
}

func TestAnImageIsInstalledUpdatedAndRemovedWithPodman(t *testing.T) {
	store := newImages(t)
	store.push(t, "1.0.0")
	store.push(t, "2.0.0")
	podman := podmanHome(t, store)
	r := hubtest.NewRegistries(t)
	publish := published(t, r, "weather", func(version string) map[string]any {
		return map[string]any{"packages": []any{map[string]any{
			"registryType": "oci", "identifier": store.image(version), "transport": map[string]any{"type": "stdio"},
			"environmentVariables": []any{map[string]any{"name": "PLACE", "isRequired": true}},
		}}}
	})
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "market:\n  registry_url: "+r.URL+"\n")})
	s.Live(hubtest.RealServer{
		ID: "official:io.github.ada/weather", Name: "weather", Answers: `{"PLACE":["Oslo"]}`, Tool: "forecast",
		Want: []string{"sunny in Oslo"}, Publish: func() { publish("2.0.0") },
	})
	programtest.Eventually(t, "all containers are removed", func() bool {
		left, err := podman("ps", "--all", "--quiet")
		return err == nil && left == ""
	})
}
