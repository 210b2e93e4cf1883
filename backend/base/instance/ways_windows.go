package instance

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
)

// ways returns the ways to start a hub, the best first. A task of the Task Scheduler
// outlives the job object of this process, but shows a console for a moment.
func (l launch) ways() (list []way) {
	retireTask(l.folder)
	starts := process.DetachedStarts()
	for _, start := range starts[:len(starts)-1] {
		list = append(list, detached(start))
	}
	if !l.hasCredentials() {
		list = append(list, way{"as a scheduled task", startTask})
	}
	return append(list, detached(starts[len(starts)-1]))
}

// startTask starts the hub as a task of the Windows Task Scheduler, which it creates for this start and then removes.
func startTask(ctx context.Context, l launch) (attempt, error) {
	label := labelOf(l.folder)
	definition, environment := l.folder.Run(label+".xml"), l.folder.Run(label+".json")
	values, err := json.Marshal(l.env)
	if err == nil {
		err = paths.WriteFile(environment, values)
	}
	if err == nil {
		err = paths.WriteFile(definition, windowsTask(string(l.folder), append(l.args, "--environment", environment)))
	}
	if err != nil {
		return attempt{}, err
	}
	clean := func() {
		// A task that cannot be deleted starts no hub later, because its environment file is missing.
		_ = schtasks(context.WithoutCancel(ctx), "/Delete", "/F", "/TN", label)
		_, _ = os.Remove(definition), os.Remove(environment)
	}
	if err = schtasks(ctx, "/Create", "/F", "/TN", label, "/XML", definition); err == nil {
		err = schtasks(ctx, "/Run", "/TN", label)
	}
	if err != nil {
		clean()
		return attempt{}, err
	}
	return attempt{clean: clean}, nil
}

// schtasksTimeout bounds the time of one call of the Task Scheduler.
const schtasksTimeout = 5 * time.Second

// schtasks runs schtasks.exe. Tests replace it.
var schtasks = func(ctx context.Context, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, schtasksTimeout)
	defer cancel()
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return err
	}
	cmd, err := program.Command(ctx, os.Environ(), filepath.Join(system, "schtasks.exe"), args...)
	if err != nil {
		return err
	}
	cmd.WaitDelay = time.Second
	text, err := cmd.CombinedOutput()
	if err != nil {
		return endOf(err, func() string { return lastWords(text) })
	}
	return nil
}

// retireTask deletes the task that earlier versions created, and the script that it runs.
func retireTask(folder paths.Folder) {
	label := labelOf(folder)
	script := folder.Run(label + ".cmd")
	if _, err := os.Stat(script); err != nil {
		return
	}
	_ = schtasks(context.Background(), "/Delete", "/F", "/TN", label) // if this fails, the task has no script to run
	_ = os.Remove(script)
}
