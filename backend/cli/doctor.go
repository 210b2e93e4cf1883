package cli

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/store"
)

// finding is one thing that doctor looked at.
type finding struct {
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"`
	needed bool   // without it the hub does not work
}

func (p *program) doctor() *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Say what is missing on this machine, and how to mend it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if repair {
				return p.repair(cmd.Context())
			}
			return p.examine(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "set a damaged database aside, so that the hub starts with an empty one")
	return cmd
}

func (p *program) examine(ctx context.Context) error {
	findings := []finding{p.checkFolder(), p.checkSettings(), p.checkDatabase(ctx), p.checkHub(ctx)}
	findings = append(findings, p.checkSecrets(ctx)...)
	findings = append(findings, p.checkSearch(ctx)...)
	findings = append(findings, p.checkDesks(ctx)...)
	if info, err := instance.Read(p.folder); err == nil && info.AuthOff {
		findings = append(findings, finding{What: "token", Detail: authOff, Advice: "stop the hub, unset the variable, and start it again"})
	}
	findings = append(findings, checkPrograms(ctx)...)
	var sick error
	for _, f := range findings {
		if f.needed && !f.OK {
			sick = exitCode(exitFailed)
		}
	}
	if p.json {
		return errors.Join(p.printJSON(findings), sick)
	}
	for _, f := range findings {
		mark := "ok     "
		if !f.OK {
			mark = "MISSING"
			if f.needed {
				mark = "BROKEN "
			}
		}
		p.printf("%s  %s: %s\n", mark, f.What, f.Detail)
		if !f.OK && f.Advice != "" {
			p.printf("         %s\n", f.Advice)
		}
	}
	return sick
}

func (p *program) checkFolder() finding {
	f := finding{What: "data folder", OK: true, Detail: string(p.folder), needed: true}
	if err := p.folder.Create(); err != nil {
		f.OK, f.Advice = false, fault.MessageOf(err)
	}
	return f
}

func (p *program) checkSettings() finding {
	f := finding{What: "settings", OK: true, Detail: p.folder.Config(), needed: true}
	if _, err := os.Stat(p.folder.Config()); errors.Is(err, fs.ErrNotExist) {
		f.Detail += " (none: defaults)"
	}
	if _, err := settings.Load(p.folder.Config()); err != nil {
		f.OK, f.Advice = false, fault.MessageOf(err)
	}
	return f
}

func (p *program) checkDatabase(ctx context.Context) finding {
	file := p.folder.Database()
	f := finding{What: "database", OK: true, Detail: file, needed: true}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		f.Detail += " (none yet)"
		return f
	}
	if err := store.Inspect(ctx, file); err != nil {
		f.OK, f.Detail, f.Advice = false, file+" cannot be checked", fault.MessageOf(err)
		if store.Damaged(err) {
			f.Detail = file + " is damaged"
		}
	}
	return f
}

func (p *program) checkHub(ctx context.Context) finding {
	f := finding{What: "hub", Advice: "start it with: agent-discover serve (editors start it by themselves)"}
	info, err := instance.Read(p.folder)
	if err != nil {
		f.Detail = "not running"
		if instance.Stopped(p.folder) {
			f.Detail = "stopped by the user"
		}
		return f
	}
	f.Detail = "version " + info.Version + " at http://" + info.Address() + ", log in " + p.folder.Log()
	if err := instance.NewClient(info).Do(ctx, http.MethodGet, "/api/status", nil, nil); err != nil {
		f.Advice = fault.MessageOf(err)
		return f
	}
	f.OK = true
	return f
}

// programs are what most servers are started with, and where to get them.
var programs = []struct{ name, purpose, advice string }{
	{"node", "servers written in JavaScript", "install Node.js 20 or later (Debian, Ubuntu: apt install nodejs npm; macOS: brew install node; Windows: winget install OpenJS.NodeJS)"},
	{"npx", "servers from npm", "comes with Node.js; on Debian and Ubuntu: apt install npm"},
	{"uvx", "servers from PyPI", "install uv (pipx install uv, or: brew install uv)"},
	{"docker", "servers in containers", "install Docker or Podman (podman-docker gives the docker command)"},
}

func checkPrograms(ctx context.Context) []finding {
	env, err := process.Login(ctx)
	shell := finding{What: "login shell", OK: err == nil, Detail: "PATH=" + env.Get("PATH"), Advice: "it did not answer; servers get a plain PATH. Does its start-up file wait for input?"}
	findings := []finding{shell}
	for _, program := range programs {
		f := finding{What: program.name, Advice: program.advice}
		path := env.LookPath(program.name)
		if path == "" {
			f.Detail = "not on the login shell's PATH; needed for " + program.purpose
		} else {
			f.OK, f.Detail = true, path+" "+versionOf(ctx, env, path)
		}
		findings = append(findings, f)
	}
	return findings
}

func versionOf(ctx context.Context, env process.Env, path string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		return "(does not answer --version)"
	}
	return firstLine(string(out))
}

// repair sets a damaged database aside. An intact one is left alone, and so is
// one that cannot be checked.
func (p *program) repair(ctx context.Context) error {
	lock, err := instance.Acquire(p.folder)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	file := p.folder.Database()
	switch err := store.Inspect(ctx, file); {
	case err == nil:
		return p.say(map[string]string{"status": "intact"}, "The database is intact; nothing to repair.\n")
	case !store.Damaged(err):
		return err
	}
	aside := file + ".damaged-" + time.Now().Format("20060102-150405")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(file+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Wrap(err, fault.Unavailable, "the database cannot be set aside: %s", strings.TrimPrefix(err.Error(), "rename "))
		}
	}
	return p.say(map[string]string{"status": "set aside", "file": aside},
		"The damaged database is now %s; the next start begins with an empty one.\n", aside)
}
