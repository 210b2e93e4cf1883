package instance

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// played is the environment variable that makes the test binary act as a hub which
// this package starts.
const played = "AGENT_DISCOVER_TEST_PLAYS"

func TestMain(m *testing.M) {
	switch os.Getenv(played) {
	case "a crash":
		fmt.Fprintln(os.Stderr, "loading\npanic: no luck\n\ngoroutine 1 [running]:")
		os.Exit(2)
	case "silence":
		os.Exit(7)
	case "a second hub":
		os.Exit(ExitHeld)
	case "a bystander":
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	playWindows()
	os.Exit(m.Run())
}

// playing returns a launch that starts the test binary as a hub. part is the value of
// the variable played.
func playing(t *testing.T, part string) launch {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := folder(t)
	// A program that was built with coverage writes a warning if GOCOVERDIR is missing.
	env := process.Env{"AGENT_DISCOVER_HOME=" + string(f), played + "=" + part, "GOCOVERDIR=" + t.TempDir()}
	return launch{folder: f, env: env, args: []string{self}}
}

// announce writes hub.json, as a hub does once it has started.
func announce(t *testing.T, l launch) {
	t.Helper()
	data, err := json.Marshal(Info{ID: process.Self(), Host: "127.0.0.1", Port: 7})
	if err == nil {
		err = os.WriteFile(l.folder.Run("hub.json"), data, 0o600)
	}
	if err != nil {
		t.Error(err)
	}
}

// begins returns a way to start a hub. The way calls begun, unless begun is nil, and
// returns an attempt with the channel ended.
func begins(name string, ended chan error, begun func()) way {
	return way{name, func(context.Context, launch) (attempt, error) {
		if begun != nil {
			begun()
		}
		return attempt{ended: ended}, nil
	}}
}

func TestIfNoHubAppearsTheNextWayIsTried(t *testing.T) {
	l := launch{folder: folder(t), args: []string{"hub"}}
	synctest.Test(t, func(t *testing.T) {
		began, cleaned := time.Now(), false
		refused := way{"refused", func(context.Context, launch) (attempt, error) { return attempt{}, errors.New("access denied") }}
		silent := way{"silent", func(context.Context, launch) (attempt, error) {
			return attempt{clean: func() { cleaned = true }}, nil
		}}
		info, err := l.inTurn(t.Context(), []way{refused, silent, begins("works", nil, func() { announce(t, l) })})
		if err != nil || info.Port != 7 {
			t.Fatalf("got %v, %v", info, err)
		}
		if waited := time.Since(began); waited != patience {
			t.Errorf("the third way began after %v, want %v", waited, patience)
		}
		if !cleaned {
			t.Error("the second way left what it needed")
		}
	})
	log, err := paths.ReadFile(l.folder.Log())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`way=refused program=hub reason="access denied"`, `way=silent program=hub reason="no sign of the hub within 3s"`,
	} {
		if !strings.Contains(string(log), want) {
			t.Errorf("the log lacks %s:\n%s", want, log)
		}
	}
}

func TestAHubThatStartsSlowlyGetsNoRival(t *testing.T) {
	l := launch{folder: folder(t), args: []string{"hub"}}
	synctest.Test(t, func(t *testing.T) {
		slow := begins("slow", make(chan error), func() {
			time.AfterFunc(3*patience, func() { announce(t, l) })
		})
		rival := begins("rival", nil, func() { t.Error("a second hub was started while the first was starting") })
		if _, err := l.inTurn(t.Context(), []way{slow, rival}); err != nil {
			t.Error(err)
		}
	})
}

func TestAHubThatFindsAnotherLeavesTheStartToIt(t *testing.T) {
	l := playing(t, "a second hub")
	other, err := Acquire(l.folder)
	if err == nil {
		err = other.Sign()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Release() })
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		ended <- outrun{errors.New("exit status 75")}
		starts := 0
		second := begins("second", ended, func() {
			starts++
			time.AfterFunc(time.Second, func() { announce(t, l) })
		})
		if _, err := l.inTurn(t.Context(), []way{second}); err != nil || starts != 1 {
			t.Errorf("%d starts, %v", starts, err)
		}
	})
	a, err := detached(process.DetachedStarts()[0]).start(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	if _, other := errors.AsType[outrun](<-a.ended); !other {
		t.Errorf("exit code %d does not mean that another hub runs", ExitHeld)
	}
}

func TestAStartBeginsAgainIfTheHubThatItWasLeftToHasEnded(t *testing.T) {
	l := launch{folder: folder(t), args: []string{"hub"}}
	synctest.Test(t, func(t *testing.T) {
		ended, starts := make(chan error, 1), 0
		ended <- outrun{errors.New("exit status 75")}
		again := begins("way", ended, func() {
			if starts++; starts == 2 {
				announce(t, l)
			}
		})
		if _, err := l.inTurn(t.Context(), []way{again}); err != nil || starts != 2 {
			t.Errorf("%d starts: %v", starts, err)
		}
	})
}

func TestAHubThatEndsAtOnceSaysWhyInTheErrorAndTheLog(t *testing.T) {
	for part, want := range map[string]string{
		"a crash": "the program ended at once with exit status 2: panic: no luck",
		"silence": "the program ended at once with exit status 7",
	} {
		l := playing(t, part)
		start := process.DetachedStarts()[0]
		_, err := l.inTurn(t.Context(), []way{detached(start)})
		if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), want+" ("+start.Name+")") {
			t.Errorf("%s: %v", part, err)
		}
		if log, _ := paths.ReadFile(l.folder.Log()); !strings.Contains(string(log), want) {
			t.Errorf("%s: the log lacks the reason:\n%s", part, log)
		}
	}
}

func TestAStartSeesOnlyItsOwnOutput(t *testing.T) {
	f := folder(t)
	first := openOutput(f)
	_, err := first.file.WriteString("panic: the first\n")
	if err = errors.Join(err, first.file.Close()); err != nil {
		t.Fatal(err)
	}
	second := openOutput(f)
	defer second.close()
	if got := second.words(); got != "" {
		t.Errorf("before it wrote anything: %q", got)
	}
	if _, err := second.file.WriteString("one\n\ntwo " + strings.Repeat("x", 1000)); err != nil {
		t.Fatal(err)
	}
	if got := second.words(); !strings.HasPrefix(got, "two xxx") || len(got) > 310 {
		t.Errorf("got %q", got)
	}
	if err := second.file.Truncate(maxOutput + 1); err != nil {
		t.Fatal(err)
	}
	third := openOutput(f)
	defer third.close()
	if info, err := third.file.Stat(); err != nil || info.Size() != 0 || third.from != 0 {
		t.Errorf("a large file was kept: %v, %v", info.Size(), err)
	}
}

func TestATaskStartsOnBatteryWithoutALimitAndAtNormalPriority(t *testing.T) {
	encoded := windowsTask(`C:\Users\Jörg & Co`,
		[]string{`C:\Program Files\a\agent-discover.exe`, "serve", "--environment", `C:\Users\Jörg & Co\run\x.json`})
	if string(encoded[:2]) != "\xff\xfe" {
		t.Fatalf("the file begins with % x", encoded[:2])
	}
	var units []uint16
	for i := 2; i < len(encoded); i += 2 {
		units = append(units, uint16(encoded[i])|uint16(encoded[i+1])<<8)
	}
	text := strings.Replace(string(utf16.Decode(units)), `encoding="UTF-16"`, `encoding="UTF-8"`, 1)
	var task struct {
		Triggers *struct{} `xml:"Triggers"`
		Logon    string    `xml:"Principals>Principal>LogonType"`
		Settings struct {
			DisallowStartIfOnBatteries, StopIfGoingOnBatteries, AllowStartOnDemand bool
			ExecutionTimeLimit                                                     string
			Priority                                                               int
		}
		Exec struct{ Command, Arguments, WorkingDirectory string } `xml:"Actions>Exec"`
	}
	if err := xml.Unmarshal([]byte(text), &task); err != nil {
		t.Fatal(err)
	}
	s := task.Settings
	if s.DisallowStartIfOnBatteries || s.StopIfGoingOnBatteries || !s.AllowStartOnDemand || s.ExecutionTimeLimit != "PT0S" ||
		s.Priority != 5 || task.Triggers != nil || task.Logon != "InteractiveToken" {
		t.Errorf("got %+v", task)
	}
	if task.Exec.Command != `C:\Program Files\a\agent-discover.exe` || task.Exec.WorkingDirectory != `C:\Users\Jörg & Co` ||
		task.Exec.Arguments != `serve --environment "C:\Users\Jörg & Co\run\x.json"` {
		t.Errorf("got %+v", task.Exec)
	}
}

func TestATaskGivesItsEnvironmentToTheHubOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "env.json")
	if err := os.WriteFile(file, []byte(`["AGENT_DISCOVER_TEST_ONE=a=b","AGENT_DISCOVER_TEST_TWO="]`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AGENT_DISCOVER_TEST_ONE", "")
	t.Setenv("AGENT_DISCOVER_TEST_TWO", "x")
	if err := EnterTask(file); err != nil {
		t.Fatal(err)
	}
	if one, two := os.Getenv("AGENT_DISCOVER_TEST_ONE"), os.Getenv("AGENT_DISCOVER_TEST_TWO"); one != "a=b" || two != "" {
		t.Errorf("got %q and %q", one, two)
	}
	if err := EnterTask(file); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a second time: %v", err)
	}
}
