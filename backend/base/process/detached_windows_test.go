package process

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Environment variables that make the test binary act as another program.
const (
	part    = "PROCESS_TEST_PART"
	address = "PROCESS_TEST_ADDRESS" // where the test listens
	outside = "PROCESS_TEST_OUTSIDE" // pid of a program outside of the job
)

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(part) {
	case "bystander":
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	case "editor":
		err = playEditor()
	case "hub":
		err = playHub()
	case "server":
		err = playServer()
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// playing returns a command that runs the test binary as another program: bystander, editor, hub or server.
func playing(name string, more ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), part+"="+name), more...)
	return cmd
}

// playEditor checks that no process may leave its job, and starts a hub as a child of a process outside of the job.
func playEditor() error {
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	if err := startOutside(playing("hub")); err == nil {
		return errors.New("the job let a process leave")
	}
	pid, err := strconv.ParseUint(os.Getenv(outside), 10, 32)
	if err != nil {
		return err
	}
	if err := startBelow(uint32(pid), playing("hub")); err != nil {
		return err
	}
	fmt.Println("started")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // the job ends this process
	return nil
}

// playHub reports to the test whether it is in a job, and sends back the line that the test sends.
func playHub() error {
	conn, err := net.Dial("tcp", os.Getenv(address))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	var inJob int32
	_, _, _ = isProcessInJob.Call(uintptr(windows.CurrentProcess()), 0, uintptr(unsafe.Pointer(&inJob)))
	if _, err := fmt.Fprintln(conn, "in a job:", inJob); err != nil {
		return err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil {
		_, err = fmt.Fprint(conn, line)
	}
	return err
}

func TestADetachedProgramOutlivesAJobThatNobodyMayLeave(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	t.Setenv(address, listener.Addr().String())

	bystander := playing("bystander")
	hold, err := bystander.StdinPipe()
	if err == nil {
		err = bystander.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hold.Close(); _ = bystander.Wait() }()

	editor := playing("editor", outside+"="+strconv.Itoa(bystander.Process.Pid))
	stdin, _ := editor.StdinPipe()
	stdout, _ := editor.StdoutPipe()
	if err := editor.Start(); err != nil {
		t.Fatal(err)
	}
	job, err := windows.CreateJobObject(nil, nil)
	if err == nil {
		err = adopt(job, editor.Process.Pid)
	}
	if err == nil {
		_, err = stdin.Write([]byte("\n"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(stdout).ReadString('\n'); strings.TrimSpace(said) != "started" {
		t.Fatalf("the editor printed %q, %v", said, err)
	}
	hub, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hub.Close() }()
	lines := bufio.NewReader(hub)
	if said, err := lines.ReadString('\n'); strings.TrimSpace(said) != "in a job: 0" {
		t.Errorf("the hub says %q, %v", said, err)
	}

	if err := windows.TerminateJobObject(job, 1); err != nil {
		t.Fatal(err)
	}
	_ = windows.CloseHandle(job)
	_ = editor.Wait() // it was ended
	if _, err := fmt.Fprintln(hub, "still there"); err != nil {
		t.Fatal(err)
	}
	if said, err := lines.ReadString('\n'); strings.TrimSpace(said) != "still there" {
		t.Errorf("after the end of the editor's job, the hub says %q, %v", said, err)
	}
}

func TestAProgramStartedOutsideRunsAndReportsItsEnd(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	cmd := playing("hub", address+"="+listener.Addr().String())
	if err := startOutside(cmd); err != nil {
		t.Skip("these tests run in a job that nobody may leave:", err)
	}
	hub, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(hub).ReadString('\n'); strings.TrimSpace(said) != "in a job: 0" {
		t.Errorf("the program says %q, %v", said, err)
	}
	_ = hub.Close()
	if err := cmd.Wait(); err == nil {
		t.Error("the program reported success, although the connection was closed")
	}
}

func TestTheCleanEnvironmentIsThatOfTheUserNotOfThisProcess(t *testing.T) {
	t.Setenv("PATHEXT", ".EDITOR")
	t.Setenv("EDITOR_ONLY", "1")
	t.Setenv("AGENT_DISCOVER_OPENAI_API_KEY", "key")
	env := Clean()
	if env.Get("PATHEXT") == ".EDITOR" || env.Get("EDITOR_ONLY") != "" || env.Get("AGENT_DISCOVER_OPENAI_API_KEY") != "" {
		t.Errorf("got %q", env)
	}
	if env.Get("SYSTEMROOT") == "" || env.Get("USERPROFILE") == "" || env.Get("PATH") == "" {
		t.Errorf("variables of the user are missing: %q", env)
	}
}

func TestProgramsOfTheTerminalAreFoundAfterThoseOfTheUser(t *testing.T) {
	user := Clean().Get("PATH")
	bin := t.TempDir()
	t.Setenv("PATH", bin+";"+strings.ToUpper(user))
	env, err := Login(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := env.Get("PATH"), user+";"+bin; got != want {
		t.Errorf("the PATH is %s, want %s", got, want)
	}
}
