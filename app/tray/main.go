// Command agent-discover-tray shows an icon in the system tray. Its menu shows the state of the hub, starts and
// stops servers, and opens the window. The program starts a hub if none is running, unless the user has stopped it, and
// restarts a hub that has died. Notifications tell the user that something waits for a decision. The program is an
// ordinary client of the hub and keeps no data of its own.
//
// The icon requires the build tag tray and, on Linux, GTK; make tray builds it. Without the tag, the program prints
// an error and exits.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-discover/agent-discover/backend/base/autostart"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/version"
)

// Exit codes of the program.
const (
	exitOK        = 0
	exitFailed    = 1
	exitArguments = 2
	exitNoTray    = 3 // the desktop cannot show tray icons
)

// loginTimeout limits how long the program waits for the desktop's panel after a login.
const loginTimeout = 30 * time.Second

type options struct {
	login  bool // started at login: wait for the panel
	start  bool // start the hub even if the user stopped it
	attach bool // the default; accepted because the window passes it
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes the command line and returns the exit code. It must be called from the main goroutine.
func run(args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("agent-discover-tray", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.login, autostart.Flag[2:], false, "wait for the desktop's panel (used at login)")
	flags.BoolVar(&o.start, "start", false, "start the hub even if you stopped it before")
	flags.BoolVar(&o.attach, "attach", false, "do not start a hub that you stopped (the default)")
	showVersion := flags.Bool("version", false, "print the version")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitArguments
	case flags.NArg() > 0:
		_, _ = fmt.Fprintf(stderr, "agent-discover-tray: unexpected argument %q; see agent-discover-tray --help\n", flags.Arg(0))
		return exitArguments
	case *showVersion:
		_, _ = fmt.Fprintln(stdout, "agent-discover-tray", version.Current())
		return exitOK
	}
	code, err := showIcon(o, stdout)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "agent-discover-tray:", fault.MessageOf(err))
	}
	return code
}

// showIcon shows the icon until the user quits or the process receives a signal. If an icon is already shown for the
// data folder, showIcon prints that and returns at once.
func showIcon(o options, stdout io.Writer) (code int, err error) {
	folder, err := paths.Default()
	if err != nil {
		return exitFailed, err
	}
	if err := folder.Create(); err != nil {
		return exitFailed, err
	}
	lock := flock.New(folder.Run("tray.lock"), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return exitFailed, fault.Wrap(err, fault.Unavailable, "could not lock a file in %s; is the folder on a file system with locks?",
			folder.Run(""))
	}
	if !locked {
		_, _ = fmt.Fprintln(stdout, "The tray icon is already running.")
		if err := o.allowHub(folder); err != nil {
			return exitFailed, err
		}
		return exitOK, nil
	}
	defer func() { _ = lock.Unlock() }() // the end of the process releases the lock in any case

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	timeout := time.Duration(0)
	if o.login {
		timeout = loginTimeout
	}
	if err := available(ctx, timeout); err != nil {
		return exitNoTray, err
	}
	if err := o.allowHub(folder); err != nil {
		return exitFailed, err
	}
	serve(ctx, folder)
	return exitOK, nil
}

// allowHub clears the stop request if the option start is set. Otherwise, the tray shows that the hub is stopped, and
// the user can start it in the menu.
func (o options) allowHub(folder paths.Folder) error {
	if !o.start {
		return nil
	}
	return clearStopped(folder)
}

// clearStopped removes the request by which the user stopped the hub.
func clearStopped(folder paths.Folder) error {
	if err := instance.SetStopped(folder, false); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not clear the stop request in %s", string(folder))
	}
	return nil
}

// serve runs the tray until ctx ends or the user quits.
func serve(ctx context.Context, folder paths.Folder) {
	ctx, cancel := context.WithCancel(ctx)
	t, done := newTray(folder, version.Current()), make(chan struct{})
	t.notify = newNotifier(ctx, t.clicked)
	display(func(v view) {
		defer close(done)
		end := context.AfterFunc(ctx, v.end)
		defer end()
		t.run(ctx, v)
	}, t.clicked)
	cancel()
	<-done
}
