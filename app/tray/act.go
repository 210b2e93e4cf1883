package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/app/autostart"
	"github.com/agent-discover/agent-discover/app/launch"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

const (
	windowFails = 3 * time.Second  // a window that cannot open has said so by then
	stopTimeout = 15 * time.Second // a hub gives calls 5 s
	noteStays   = time.Minute
)

// act does what a click means and shows what came of it.
func (t *tray) act(ctx context.Context, f face, what string) {
	t.note("")
	var note string
	var err error
	verb, rest, _ := strings.Cut(what, " ")
	switch verb {
	case "open":
		err = open(ctx, rest)
	case "activate", "deactivate":
		err = t.post(ctx, "/api/servers/"+rest+"/"+verb, nil)
	case clickPause, clickResume:
		err = t.post(ctx, "/api/"+verb, nil)
	case clickCheck:
		note, err = t.check(ctx)
	case clickStart:
		err = t.start()
	case clickCopy:
		note, err = t.copy(f)
	case clickLogin, "no":
		err = startAtLogin(verb == clickLogin)
	case clickQuit:
		err = t.quit(ctx, f)
	}
	if err != nil && ctx.Err() == nil {
		note = fault.MessageOf(err)
	}
	t.note(note) // also shows a check mark as it is: a click has turned it
	if note == "" {
		return
	}
	select {
	case <-time.After(noteStays):
	case <-ctx.Done():
	}
	t.change(func(s *state) {
		if s.Note == note {
			s.Note = ""
		}
	})
}

// post asks the hub that runs now for something.
func (t *tray) post(ctx context.Context, path string, out any) error {
	info, err := instance.Read(t.folder)
	if err != nil {
		return err
	}
	client := instance.NewClient(info)
	defer client.HTTP().CloseIdleConnections()
	return client.Do(ctx, http.MethodPost, path, nil, out)
}

// open shows the dashboard, in the browser where there is no window.
func open(ctx context.Context, page string) error {
	ended, err := launch.StartWindow(page)
	if err == nil {
		if err = early(ctx, ended); err == nil {
			return nil
		}
	}
	program, missing := launch.Find(launch.Hub)
	if missing != nil {
		return missing
	}
	if ended, err = launch.Start(program, "open"); err == nil {
		err = early(ctx, ended)
	}
	if err != nil {
		return fault.Wrap(err, fault.Failed, "no window and no browser can be opened; try: agent-discover open")
	}
	return nil
}

// early returns how a program ended that failed at once, nil for one that did not.
func early(ctx context.Context, ended <-chan error) error {
	select {
	case err := <-ended:
		return err
	case <-time.After(windowFails):
	case <-ctx.Done():
	}
	return nil
}

// check asks all servers whether they work.
func (t *tray) check(ctx context.Context) (note string, err error) {
	t.change(func(s *state) { s.Checking = true })
	defer t.change(func(s *state) { s.Checking = false })
	var found struct{ Servers []checked }
	if err := t.post(ctx, "/api/health", &found); err != nil {
		return "", err
	}
	return verdict(found.Servers), nil
}

// checked is what a check found of one server.
type checked struct{ Name, Status string }

// verdict says what a check of all servers found.
func verdict(servers []checked) string {
	var sick []string
	for _, v := range servers {
		if v.Status != "healthy" {
			sick = append(sick, v.Name)
		}
	}
	switch {
	case len(servers) == 0:
		return "Health: no servers"
	case len(sick) == 0:
		return fmt.Sprintf("Health: %s, all well", plural(len(servers), "server", "servers"))
	}
	return fmt.Sprintf("Health: %d of %d failed: %s", len(sick), len(servers), strings.Join(sick, ", "))
}

// start takes back the wish that no hub runs.
func (t *tray) start() error {
	if err := instance.SetStopped(t.folder, false); err != nil {
		return fault.Wrap(err, fault.Unavailable, "the data folder %s is not writable", string(t.folder))
	}
	select {
	case t.wake <- struct{}{}:
	default: // it looks anyway
	}
	return nil
}

func (t *tray) copy(f face) (note string, err error) {
	program, err := launch.Find(launch.Hub)
	if err != nil {
		return "", err
	}
	if err := f.copy(configuration(program, os.Getenv("AGENT_DISCOVER_HOME"))); err != nil {
		return "", err
	}
	return "MCP configuration copied", nil
}

// atLogin returns the entry that starts this program at login.
func atLogin() (autostart.Entry, error) {
	program, err := os.Executable()
	if err != nil {
		return autostart.Entry{}, fault.Wrap(err, fault.Unavailable, "this program cannot find its own file")
	}
	return autostart.Tray(program), nil
}

func startAtLogin(on bool) error {
	entry, err := atLogin()
	if err != nil {
		return err
	}
	return entry.Set(on)
}

// quit ends the hub for good and then the tray. The wish is written first, or an
// editor that is attached would start the next hub.
func (t *tray) quit(ctx context.Context, f face) error {
	if err := instance.SetStopped(t.folder, true); err != nil {
		return fault.Wrap(err, fault.Unavailable, "the wish to stop cannot be written to %s", t.folder.Run(""))
	}
	t.change(func(s *state) { *s = s.lost(quitting, "") })
	defer f.end() // also when the hub hangs: the icon is what was clicked away
	info, err := instance.Read(t.folder)
	if errors.Is(err, instance.ErrNone) {
		return nil
	}
	if err := t.post(ctx, "/api/stop", nil); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for info.Alive() && ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return nil
}
