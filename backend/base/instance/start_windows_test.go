package instance

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"golang.org/x/sys/windows"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// playWindows acts as the hub if a scheduled task has started the test binary.
func playWindows() {
	if len(os.Args) < 2 || os.Args[len(os.Args)-2] != "--environment" {
		return
	}
	err := EnterTask(os.Args[len(os.Args)-1])
	if err == nil {
		var home paths.Folder
		if home, err = paths.Default(); err == nil {
			var data []byte
			if data, err = json.Marshal(Info{ID: process.Self(), Host: "127.0.0.1", Port: 9}); err == nil {
				err = paths.WriteFile(home.Run("hub.json"), data)
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = io.ReadAll(os.Stdin) // until the test has ended
	os.Exit(0)
}

// scheduler replaces schtasks by a fake that records the commands, and runs a task's
// program without the AGENT_DISCOVER_ variables of this process.
func scheduler(t *testing.T) *[]string {
	t.Helper()
	var calls []string
	definition, real := "", schtasks
	t.Cleanup(func() { schtasks = real })
	schtasks = func(_ context.Context, args ...string) error {
		calls = append(calls, args[0])
		if i := slices.Index(args, "/XML"); i >= 0 {
			definition = args[i+1]
		}
		if args[0] != "/Run" {
			return nil
		}
		encoded, err := os.ReadFile(definition)
		if err != nil {
			return err
		}
		var units []uint16
		for i := 2; i < len(encoded); i += 2 {
			units = append(units, uint16(encoded[i])|uint16(encoded[i+1])<<8)
		}
		var task struct {
			Exec struct{ Command, Arguments string } `xml:"Actions>Exec"`
		}
		if err := xml.Unmarshal([]byte(strings.Replace(string(utf16.Decode(units)), "UTF-16", "UTF-8", 1)), &task); err != nil {
			return err
		}
		argv, err := windows.DecomposeCommandLine(task.Exec.Command + " " + task.Exec.Arguments)
		if err != nil {
			return err
		}
		cmd := exec.Command(task.Exec.Command, argv[1:]...)
		cmd.Env = process.Clean()
		cmd.Stderr = os.Stderr
		hold, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		t.Cleanup(func() { _ = hold.Close(); _ = cmd.Wait() })
		return cmd.Start()
	}
	return &calls
}

func TestATaskStartsTheHubWithItsEnvironmentAndIsDeleted(t *testing.T) {
	calls := scheduler(t)
	l := playing(t, "")
	l.folder = paths.Folder(t.TempDir() + `\Jörg Müller`)
	if err := l.folder.Create(); err != nil {
		t.Fatal(err)
	}
	l.env = process.Env{"AGENT_DISCOVER_HOME=" + string(l.folder)}
	refused := way{"refused", func(context.Context, launch) (attempt, error) { return attempt{}, errors.New("access denied") }}
	info, err := l.inTurn(t.Context(),
		[]way{refused, {"as a scheduled task", startTask}, begins("last", nil, func() { t.Error("the task was not enough") })})
	if err != nil || info.Port != 9 {
		t.Fatalf("got %v, %v", info, err)
	}
	if want := []string{"/Create", "/Run", "/Delete"}; !slices.Equal(*calls, want) {
		t.Errorf("the scheduler got %q, want %q", *calls, want)
	}
	left, err := os.ReadDir(l.folder.Run(""))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range left {
		if file.Name() != "hub.json" {
			t.Errorf("%s was left", file.Name())
		}
	}
}

func TestTheTaskOfEarlierVersionsIsDeletedOnce(t *testing.T) {
	calls := scheduler(t)
	l := playing(t, "")
	script := l.folder.Run(labelOf(l.folder) + ".cmd")
	if err := os.WriteFile(script, []byte("@echo off\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.ways()
	l.ways()
	if _, err := os.Stat(script); !slices.Equal(*calls, []string{"/Delete"}) || err == nil {
		t.Errorf("the scheduler got %q; the script: %v", *calls, err)
	}
}

func TestATaskIsTriedOnlyAfterTheWaysThatShowNoConsole(t *testing.T) {
	var names []string
	for _, w := range playing(t, "").ways() {
		names = append(names, w.name)
	}
	want := []string{"outside of the job", "as a child of the desktop's shell", "as a scheduled task", "in the job of its starter"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

func TestTheSystemsProgramForTasksSaysWhyItFails(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := schtasks(ctx, "/Run", "/TN", "agent-discover-absent"); err == nil {
		t.Skip("this system runs tasks that do not exist, as wine does")
	} else if !strings.Contains(err.Error(), "ended") {
		t.Errorf("got %v", err)
	}
}
