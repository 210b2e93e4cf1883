package cli

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	baseprogram "github.com/agent-discover/agent-discover/backend/base/program"
)

// programs are the programs that start most servers.
var programs = []struct{ name, purpose, advice string }{
	{
		"node", "servers written in JavaScript",
		"install Node.js 20 or later (Debian, Ubuntu: apt install nodejs npm; macOS: brew install node; Windows: winget install " +
			"OpenJS.NodeJS)",
	},
	{"npx", "servers from npm", "npx comes with Node.js; on Debian and Ubuntu: apt install npm"},
	{"uvx", "servers from PyPI", "install uv (pipx install uv, or: brew install uv)"},
	{"docker", "servers in containers", "install Docker or Podman (podman-docker provides the docker command)"},
}

func checkPrograms(ctx context.Context) []finding {
	env, err := process.Login(ctx)
	findings := []finding{{
		What: "login shell", OK: err == nil, Detail: "PATH=" + env.Get("PATH"),
		Advice: "the shell did not report its environment, so servers get a minimal PATH; check whether its start-up files wait for input",
	}}
	for _, p := range programs {
		f := finding{What: p.name, Advice: p.advice}
		path := env.LookPath(p.name)
		if path == "" {
			f.Detail = "not on the login shell's PATH; needed for " + p.purpose
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
	cmd, err := baseprogram.Command(ctx, env, path, "--version")
	if err != nil {
		return "(" + fault.MessageOf(err) + ")"
	}
	out, err := cmd.Output()
	if err != nil {
		return "(does not answer --version)"
	}
	return firstLine(string(out))
}
