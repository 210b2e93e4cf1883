//go:build linux

package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// otherUser is the user whose programs the tests start when they run as root. Tests of other packages must not use it: a
// program that reads the open files of all its processes would wait for theirs.
const otherUser = 65532

// asOther names the environment variable that turns the test binary into a program
// of the other user. Its value says what the program does.
const asOther = "HUB_TEST_AS_OTHER"

func init() {
	act, ok := map[string]func(args []string){
		"watch": watchProcesses, "read": readFolder, "ask": askHub, "take": takePort,
	}[os.Getenv(asOther)]
	if ok {
		act(os.Args[1:])
		os.Exit(0)
	}
}

// watchProcesses prints all that it can read about the processes of the machine, until
// its input ends.
func watchProcesses([]string) {
	ended := make(chan struct{})
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); close(ended) }()
	seen := make(map[string]bool)
	for {
		for _, pattern := range []string{
			"/proc/[0-9]*/cmdline", "/proc/[0-9]*/environ", "/proc/[0-9]*/fd/*", "/proc/[0-9]*/task/*/environ",
			"/proc/[0-9]*/task/*/cmdline",
		} {
			files, _ := filepath.Glob(pattern)
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil || seen[file+string(text)] || strings.HasPrefix(file, fmt.Sprintf("/proc/%d/", os.Getpid())) {
					continue
				}
				seen[file+string(text)] = true
				fmt.Printf("%s: %s\n", file, bytes.ReplaceAll(text, []byte{0}, []byte{' '}))
			}
		}
		select {
		case <-ended:
			return
		default:
		}
	}
}

// readFolder prints the names of those files in a folder that this program can open.
func readFolder(args []string) {
	_ = filepath.WalkDir(args[0], func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if file, err := os.Open(path); err == nil {
				_ = file.Close()
				fmt.Println(path)
			}
		}
		return nil
	})
	for _, file := range args[1:] { // try known names too, because listing the folder may be forbidden
		if _, err := os.ReadFile(file); err == nil {
			fmt.Println(file)
		}
	}
}

// askHub sends requests to an address and prints the answers. Each line of its input is one
// request, in which tabs separate the lines of the request.
func askHub(args []string) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		conn, err := net.Dial("tcp", args[0])
		if err != nil {
			fmt.Println("cannot connect:", err)
			continue
		}
		_, _ = io.WriteString(conn, strings.ReplaceAll(lines.Text(), "\t", "\r\n")+"\r\n\r\n")
		answer, _ := io.ReadAll(conn)
		_ = conn.Close()
		fmt.Printf("%q\n", answer)
	}
}

// takePort listens on an address and prints what it receives until its input ends. It answers each
// request like a hub that does not know the token.
func takePort(args []string) {
	listener, err := net.Listen("tcp", args[0])
	if err != nil {
		fmt.Println("cannot listen:", err)
		return
	}
	fmt.Println("listening")
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				requests := bufio.NewReader(conn)
				for {
					request, err := http.ReadRequest(requests)
					if err != nil {
						return
					}
					var text bytes.Buffer
					_ = request.Write(&text)
					fmt.Printf("%q\n", text.String())
					if request.URL.Path == "/companion" {
						_, _ = io.WriteString(conn,
							"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: agent-discover/1\r\n\r\n")
						for {
							line, err := requests.ReadString('\n')
							if err != nil {
								return
							}
							fmt.Printf("%q\n", line)
							_, _ = io.WriteString(conn, `{"protocol":1,"version":"1.0.0","nonce":"n","proof":"00"}`+"\n")
						}
					}
					body := `{"nonce":"n","proof":"00","session_proof":"00","version":"1.0.0","protocol":1}`
					_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
						len(body), body)
				}
			}()
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// other is a running program of the other user.
type other struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	output programtest.Output
}

// startOther starts a program of the other user, which is stopped when the test ends. It
// skips the test unless the test runs as root.
func startOther(t *testing.T, act string, args ...string) *other {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a program of another user")
	}
	o := &other{t: t, cmd: exec.Command(publicBinary(t), args...)}
	o.cmd.Env = []string{asOther + "=" + act}
	o.cmd.Dir = "/"
	o.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUser, Gid: otherUser}}
	o.cmd.Stdout, o.cmd.Stderr = &o.output, &o.output
	var err error
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := o.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.end() })
	return o
}

// end closes the program's input and returns all that it printed.
func (o *other) end() string {
	_ = o.in.Close()
	_ = o.cmd.Wait()
	return o.output.String()
}

// await waits until the program has printed a text.
func (o *other) await(text string) {
	o.t.Helper()
	programtest.Eventually(o.t, "another user's program prints "+text, func() bool { return strings.Contains(o.output.String(), text) })
}

// publicBinary returns a copy of the test binary that every user may run.
func publicBinary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(filepath.Dir(programtest.Current(t))), "as-other")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	temp := path + "-" + instance.NewSecret()[:8]
	if err := os.WriteFile(temp, data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(temp, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// visibleHome returns a home that other users may look into, apart from the data folder,
// with a hub, a secret, a running server and an attached editor.
func visibleHome(t *testing.T) (*programtest.Home, *programtest.Hub, *programtest.Client) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a program of another user")
	}
	h := programtest.NewHome(t)
	for dir := h.Dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h.Set("AGENT_DISCOVER_KEYCHAIN", "off")
	h.Set("AGENT_DISCOVER_PASSPHRASE", "the-passphrase")
	hub := h.Serve()
	h.Add("fake", mcptest.Command(t))
	h.SetSecret("fake", "API_KEY", "the-secret-value")
	return h, hub, h.Attach()
}

func TestAnotherUserGetsNothingFromTheHub(t *testing.T) {
	t.Parallel()
	h, _, _ := visibleHome(t)
	info := h.RunningHub()
	asker := startOther(t, "ask", info.Address())
	requests := []string{
		"GET / HTTP/1.1", "GET /health HTTP/1.1", "GET /hello?nonce=1 HTTP/1.1", "GET /openapi.json HTTP/1.1", "GET /api/servers HTTP/1.1",
		"GET /companion HTTP/1.1\tConnection: Upgrade\tUpgrade: agent-discover/1",
		"POST /api/session HTTP/1.1\tContent-Length: 0", "POST /api/stop HTTP/1.1\tContent-Length: 0",
	}
	for _, request := range requests { // send the token too, as if it had leaked
		_, _ = fmt.Fprintf(asker.in, "%s\tHost: %s\tAuthorization: Bearer %s\tConnection: close\n", request, info.Address(), info.Token)
	}
	_ = asker.in.Close()
	answers := strings.Split(strings.TrimSpace(asker.end()), "\n")
	if len(answers) != len(requests) {
		t.Fatalf("%d answers to %d requests: %q", len(answers), len(requests), answers)
	}
	for i, answer := range answers {
		if answer != `""` && !strings.HasPrefix(answer, `"HTTP/1.1 403 Forbidden\r\n`) || strings.Contains(answer, "fake") {
			t.Errorf("another user got, for %s: %s", requests[i], answer)
		}
	}
	h.Must("status") // the hub still works
}

func TestAnotherUserReadsNoFileOfTheHub(t *testing.T) {
	t.Parallel()
	h, _, c := visibleHome(t)
	c.Tool("fake__echo", `{"text":"x"}`)
	var files []string
	err := filepath.WalkDir(string(h.Folder), func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 5 {
		t.Fatalf("the data folder holds %q, %v", files, err)
	}
	public := filepath.Join(h.Dir, "public")
	if err := os.WriteFile(public, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	reader := startOther(t, "read", append([]string{h.Dir}, files...)...)
	if got := reader.end(); strings.TrimSpace(got) != public {
		t.Errorf("another user can read:\n%s", got)
	}
}

var ticketText = regexp.MustCompile(`[#?]ticket=([0-9a-f]{64})`)

func TestAnotherUserSeesNoCredentialInProcesses(t *testing.T) {
	t.Parallel()
	h, _, c := visibleHome(t)
	watcher := startOther(t, "watch")

	// This fake browser runs until the test writes to the pipe release, after the other user has seen the browser.
	release := filepath.Join(h.Dir, "release")
	if err := syscall.Mkfifo(release, 0o600); err != nil {
		t.Fatal(err)
	}
	browser := filepath.Join(h.Dir, "browser")
	script := "#!/bin/sh\ncp \"${1#file://}\" '" + h.Dir + "/redirect'\nread -r line <'" + release + "'\n"
	if err := os.WriteFile(browser, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	h.Set("BROWSER", browser)
	opened := make(chan programtest.Outcome, 1)
	go func() { opened <- h.Run("open") }()
	watcher.await("agent-discover-open-")
	gate, err := os.OpenFile(release, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = gate.Close()
	if out := <-opened; out.Code != 0 {
		t.Fatalf("open: %+v", out)
	}
	redirect, err := os.ReadFile(filepath.Join(h.Dir, "redirect"))
	if err != nil {
		t.Fatal(err)
	}
	ticket := ticketText.FindSubmatch(redirect)
	if ticket == nil {
		t.Fatalf("the file for the browser has no ticket:\n%s", redirect)
	}

	info := h.RunningHub()
	secrets := []string{info.Token, string(ticket[1]), "the-secret-value", "the-passphrase"}
	c.Tool("fake__echo", `{"text":"x"}`)
	h.SetSecret("fake", "OTHER_KEY", "the-secret-value")
	programtest.Contains(t, h.Must("token", "--header"), "Authorization: Bearer "+info.Token+"\n")
	h.Must("call", "fake__echo", "text=x")
	secrets = append(secrets, ticketText.FindStringSubmatch(h.Must("open", "--print"))[1])
	watchLast(h, watcher)
	seen := watcher.end()
	for _, secret := range secrets {
		if strings.Contains(seen, secret) {
			t.Errorf("another user has seen %s", secret)
		}
	}
}

// watchLast starts a process and waits until watcher has printed it. By then, watcher has also seen
// every process that started earlier and still runs.
func watchLast(h *programtest.Home, watcher *other) {
	h.T.Helper()
	mark := instance.NewSecret()
	last := exec.Command("/bin/sh", "-c", "read -r line", mark)
	in, err := last.StdinPipe()
	if err != nil {
		h.T.Fatal(err)
	}
	if err := last.Start(); err != nil {
		h.T.Fatal(err)
	}
	watcher.await(mark)
	_ = in.Close()
	_ = last.Wait()
}

func TestAnotherUserOnThePortOfADeadHubGetsNoCredential(t *testing.T) {
	t.Parallel()
	h, s, c := visibleHome(t)
	before := h.RunningHub()
	s.Kill()
	port := startOther(t, "take", before.Address())
	port.await("listening")

	// Clients that still have the address of the dead hub reject the other program.
	if err := instance.NewClient(before).Do(t.Context(), http.MethodGet, "/api/servers", nil, nil); err == nil {
		t.Error("the client believes the other program")
	}
	if conn, err := companion.Dial(t.Context(), before, "1.0.0", instance.NewSecret(), companion.Entry{}); err == nil {
		_ = conn.Close()
		t.Error("the companion believes the other program")
	}
	port.await("/hello?nonce=")
	port.await("/companion")

	// Clients that look up the address find the hub that was started next.
	c.Tool("fake__echo", `{"text":"x"}`)
	after := h.RunningHub()
	h.Must("servers", "list")
	h.Must("call", "fake__echo", "text=x")

	got := port.end()
	for _, secret := range []string{before.Token, after.Token, "Authorization", "the-secret-value"} {
		if strings.Contains(got, secret) {
			t.Errorf("another user got %s:\n%s", secret, got)
		}
	}
}
