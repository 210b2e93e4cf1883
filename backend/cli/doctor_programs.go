package cli

import (
	"context"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
)

// programs are the programs that start most servers.
var programs = []struct{ name, purpose string }{
	{prerequisites.Node, "servers written in JavaScript"},
	{prerequisites.NPX, "servers from npm"},
	{prerequisites.UVX, "servers from PyPI"},
	{prerequisites.Docker, "servers in containers"},
}

func checkPrograms(ctx context.Context) []finding {
	env, err := process.Login(ctx)
	login := finding{What: "login shell", OK: err == nil, Detail: "PATH=" + env.Get("PATH")}
	if err != nil {
		login.Advice = err.Error() + "; correct the shell's start-up files, then: agent-discover restart"
	}
	findings := []finding{login}
	report := prerequisites.New(prerequisites.Options{
		Environment: func(context.Context) process.Env { return env }, Machine: prerequisites.ThisMachine(env),
	}).Check(ctx)
	for _, p := range programs {
		found := report.Program(p.name)
		f := finding{What: p.name, OK: found.Works, Advice: found.Install.Advice()}
		switch {
		case found.Path == "":
			f.Detail = "not on the login shell's PATH; needed for " + p.purpose
		case found.Works:
			f.Detail = strings.TrimSpace(found.Path + " " + found.Version)
		default:
			f.Detail = found.Problem
		}
		findings = append(findings, f)
	}
	return findings
}
