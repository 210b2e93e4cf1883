// Command agent-discover-tray is the icon in the tray, and its menu: it shows how
// the hub is, switches servers, opens the window, and starts a hub that died
// again. It is a client of the hub like any other and keeps nothing of its own.
//
// The icon comes with the build tag tray, which needs a desktop's libraries:
// make tray. Without it the program says so and ends.
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

	"github.com/agent-discover/agent-discover/app/autostart"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// version is set by the linker.
var version = "dev"

// How the program ends.
const (
	exitOK        = 0
	exitFailed    = 1
	exitArguments = 2
	exitNoTray    = 3 // nothing here shows an icon
)

// loginPatience is how long a panel may take to come up after a login.
const loginPatience = 30 * time.Second

type options struct {
	login  bool
	attach bool
}

func main() { os.Exit(start(os.Args[1:], os.Stdout, os.Stderr)) }

func start(args []string, out, problems io.Writer) int {
	var o options
	flags := flag.NewFlagSet("agent-discover-tray", flag.ContinueOnError)
	flags.SetOutput(problems)
	flags.BoolVar(&o.login, autostart.Flag[2:], false, "started by a login: wait for the panel")
	flags.BoolVar(&o.attach, "attach", false, "start no hub that the user stopped")
	show := flags.Bool("version", false, "print the version")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitArguments
	case flags.NArg() > 0:
		_, _ = fmt.Fprintln(problems, "agent-discover-tray takes no arguments but flags; see --help")
		return exitArguments
	case *show:
		_, _ = fmt.Fprintln(out, "agent-discover-tray", version)
		return exitOK
	}
	code, err := run(o, out)
	if err != nil {
		_, _ = fmt.Fprintln(problems, "agent-discover-tray:", fault.MessageOf(err))
	}
	return code
}

// run shows the icon until somebody ends it. It must be called from the main
// goroutine.
func run(o options, out io.Writer) (code int, err error) {
	folder, err := paths.Default()
	if err != nil {
		return exitFailed, err
	}
	if err := folder.Create(); err != nil {
		return exitFailed, err
	}
	lock := flock.New(folder.Run("tray.lock"), flock.SetPermissions(0o600))
	mine, err := lock.TryLock()
	if err != nil {
		return exitFailed, fault.Wrap(err, fault.Unavailable, "the lock in %s cannot be taken; is the folder on a file system with locks?", folder.Run(""))
	}
	if !mine {
		_, _ = fmt.Fprintln(out, "The tray icon is there already.")
		if err := o.takeBack(folder); err != nil {
			return exitFailed, err
		}
		return exitOK, nil
	}
	defer func() { _ = lock.Unlock() }() // ends with the process anyway

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	patience := time.Duration(0)
	if o.login {
		patience = loginPatience
	}
	if err := available(ctx, patience); err != nil {
		return exitNoTray, err
	}
	if err := o.takeBack(folder); err != nil {
		return exitFailed, err
	}
	serve(ctx, folder)
	return exitOK, nil
}

// takeBack takes back the wish that no hub runs: who starts the tray wants one.
func (o options) takeBack(folder paths.Folder) error {
	if o.attach {
		return nil
	}
	if err := instance.SetStopped(folder, false); err != nil {
		return fault.Wrap(err, fault.Unavailable, "the data folder %s is not writable", string(folder))
	}
	return nil
}

func serve(ctx context.Context, folder paths.Folder) {
	ctx, cancel := context.WithCancel(ctx)
	t, done := newTray(folder, version), make(chan struct{})
	display(func(f face) {
		defer close(done)
		end := context.AfterFunc(ctx, f.end)
		defer end()
		t.run(ctx, f)
	}, t.clicked)
	cancel()
	<-done
}
