package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/app/launch"
	"github.com/agent-discover/agent-discover/backend/base/autostart"
	"github.com/agent-discover/agent-discover/backend/base/browser"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

const (
	windowTimeout = 3 * time.Second  // a window that fails to open exits within this time
	stopTimeout   = 15 * time.Second // longer than the 5 s that a stopping hub gives running calls
	noteDuration  = time.Minute
)

// execute executes the command of a clicked item and shows the result as a note for noteDuration.
func (t *tray) execute(ctx context.Context, v view, command string) {
	t.setNote("")
	var note string
	var err error
	verb, argument, _ := strings.Cut(command, " ")
	switch verb {
	case "open":
		err = open(ctx, argument)
	case "run":
		err = t.post(ctx, "/api/servers/"+argument+"/start", nil)
	case "halt":
		err = t.post(ctx, "/api/servers/"+argument+"/stop", nil)
	case "signin":
		err = t.signIn(ctx, argument)
	case commandPause, commandResume:
		err = t.post(ctx, "/api/"+verb, nil)
	case commandCode:
		note, err = t.code(ctx, argument)
	case commandCheck:
		note, err = t.check(ctx)
	case commandStart:
		err = t.start()
	case commandCopy:
		note, err = t.copyConfiguration(v)
	case commandLogin, "no":
		var entry autostart.Entry
		if entry, err = loginEntry(); err == nil {
			err = entry.Set(verb == commandLogin)
		}
	case commandQuit:
		err = t.quit(ctx, v)
	}
	if err != nil && ctx.Err() == nil {
		note = fault.MessageOf(err)
	}
	t.setNote(note) // draw the menu even if the note is empty: this resets the check mark that the click has toggled
	if note == "" {
		return
	}
	select {
	case <-time.After(noteDuration):
	case <-ctx.Done():
	}
	t.change(func(s *state) {
		if s.Note == note {
			s.Note = ""
		}
	})
}

// post sends a POST request without a body to the running hub and decodes the answer into out, unless out is nil.
func (t *tray) post(ctx context.Context, path string, out any) error {
	return t.send(ctx, path, nil, out)
}

// send is like post, but sends body as JSON.
func (t *tray) send(ctx context.Context, path string, body, out any) error {
	info, err := instance.Read(t.folder)
	if err != nil {
		return err
	}
	client := instance.NewClient(info)
	defer client.HTTP().CloseIdleConnections()
	return client.Do(ctx, http.MethodPost, path, body, out)
}

// signIn opens the sign-in page of a server in the browser. If no browser is found, it opens the window, where a
// person can sign in too.
func (t *tray) signIn(ctx context.Context, server string) error {
	b, found := browser.Find()
	if !found {
		return open(ctx, "/servers")
	}
	var page struct{ File string }
	if err := t.send(ctx, "/api/servers/"+server+"/auth/login", map[string]any{"file": true, "snap": b.Snap}, &page); err != nil {
		return err
	}
	if page.File == "" || b.Open(page.File) {
		return nil
	}
	return open(ctx, "/servers")
}

// code returns a note with the approval code of a server. A person passes the code to a program that approves the
// server.
func (t *tray) code(ctx context.Context, server string) (note string, err error) {
	info, err := instance.Read(t.folder)
	if err != nil {
		return "", err
	}
	client := instance.NewClient(info)
	defer client.HTTP().CloseIdleConnections()
	person, end, err := client.Person(ctx)
	if err != nil {
		return "", err
	}
	defer end()
	var made struct{ Code string }
	if err := person.Do(ctx, http.MethodPost, "/api/servers/"+server+"/code", nil, &made); err != nil {
		return "", err
	}
	return "Approval code: " + made.Code + " (10 minutes)", nil
}

// open shows a page of the dashboard in the window, or the dashboard in the browser if the window cannot be opened.
func open(ctx context.Context, page string) error {
	ended, err := launch.StartWindow(page)
	if err == nil {
		if err = earlyExit(ctx, ended); err == nil {
			return nil
		}
	}
	program, missing := launch.Find(launch.Hub)
	if missing != nil {
		return missing
	}
	if ended, err = launch.Start(program, "open"); err == nil {
		err = earlyExit(ctx, ended)
	}
	if err != nil {
		return fault.Wrap(err, fault.Failed, "could not open the window or a browser; try: agent-discover open")
	}
	return nil
}

// earlyExit returns the error of a program that exits within windowTimeout, and nil if the program keeps running.
func earlyExit(ctx context.Context, ended <-chan error) error {
	select {
	case err := <-ended:
		return err
	case <-time.After(windowTimeout):
	case <-ctx.Done():
	}
	return nil
}

// check runs a health check of all servers and returns its summary.
func (t *tray) check(ctx context.Context) (note string, err error) {
	t.change(func(s *state) { s.Checking = true })
	defer t.change(func(s *state) { s.Checking = false })
	var result struct{ Servers []serverHealth }
	if err := t.post(ctx, "/api/health", &result); err != nil {
		return "", err
	}
	return healthSummary(result.Servers), nil
}

// serverHealth is the result of a health check for one server.
type serverHealth struct{ Name, Status string }

func healthSummary(servers []serverHealth) string {
	var failed []string
	for _, v := range servers {
		if v.Status != "healthy" {
			failed = append(failed, v.Name)
		}
	}
	switch {
	case len(servers) == 0:
		return "Health check: no servers"
	case len(failed) == 0:
		return fmt.Sprintf("Health check: %s healthy", plural(len(servers), "server", "servers"))
	}
	return fmt.Sprintf("Health check: %d of %s failed: %s", len(failed), plural(len(servers), "server", "servers"),
		strings.Join(failed, ", "))
}

// start clears the stop request and makes the supervisor start a hub.
func (t *tray) start() error {
	if err := clearStopped(t.folder); err != nil {
		return err
	}
	select {
	case t.wake <- struct{}{}:
	default: // a wake-up is pending already
	}
	return nil
}

func (t *tray) copyConfiguration(v view) (note string, err error) {
	program, err := launch.Find(launch.Hub)
	if err != nil {
		return "", err
	}
	if err := v.copy(configuration(program, os.Getenv("AGENT_DISCOVER_HOME"))); err != nil {
		return "", err
	}
	return "MCP configuration copied", nil
}

// loginEntry returns the entry that starts this program at login.
func loginEntry() (autostart.Entry, error) {
	program, err := os.Executable()
	if err != nil {
		return autostart.Entry{}, fault.Wrap(err, fault.Unavailable, "could not change start at login: the path of this program is unknown")
	}
	return autostart.Tray(program), nil
}

// quit stops the hub and then ends the tray. It first saves the stop request; otherwise the companion of a running
// editor would start another hub.
func (t *tray) quit(ctx context.Context, v view) error {
	if err := instance.SetStopped(t.folder, true); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not save the stop request in %s", t.folder.Run(""))
	}
	t.change(func(s *state) { *s = s.disconnected(quitting, "") })
	defer v.end() // also if the hub does not stop in time
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
