package updates

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestOnlyTheVersionAndEnteredValuesAreNoDifference(t *testing.T) {
	npx := func(pkg, version string, args ...string) installer.Configured {
		return installer.Configured{
			Transport: "stdio", Command: "npx", Args: append([]string{"-y", pkg + "@" + version}, args...), Package: pkg, Version: version,
		}
	}
	env := func(c installer.Configured, pairs ...string) installer.Configured {
		c.Env = make(map[string]string)
		for i := 0; i < len(pairs); i += 2 {
			c.Env[pairs[i]] = pairs[i+1]
		}
		return c
	}
	remote := func(url string) installer.Configured {
		return installer.Configured{Transport: "streamable-http", URL: url}
	}
	file := func(url, command string) installer.Configured {
		return installer.Configured{Transport: "stdio", Command: command, Package: url, Version: "1"}
	}
	for name, c := range map[string]struct {
		kind    string
		was, is installer.Configured
		want    bool
	}{
		"another version":  {"npm", npx("a", "1.0.0", "/data"), npx("a", "1.1.0", "/data"), false},
		"another package":  {"npm", npx("a", "1.0.0"), npx("b", "1.1.0"), true},
		"another argument": {"npm", npx("a", "1.0.0"), npx("a", "1.1.0", "--unsafe"), true},
		"another registry": {
			"npm", npx("a", "1.0.0"), installer.Configured{
				Transport: "stdio", Command: "npx", Args: []string{"-y", "--registry=https://x.example", "a@1.1.0"},
				Package: "a", Version: "1.1.0",
			}, true,
		},
		"another program": {
			"npm", npx("a", "1.0.0"), installer.Configured{
				Transport: "stdio", Command: "uvx", Args: []string{"-y", "a@1.1.0"}, Package: "a", Version: "1.1.0",
			}, true,
		},
		"the same variable":             {"npm", env(npx("a", "1.0.0"), "CITY", "Oslo"), env(npx("a", "1.1.0"), "CITY", "Oslo"), false},
		"a variable less":               {"npm", env(npx("a", "1.0.0"), "CITY", "Oslo"), env(npx("a", "1.1.0")), false},
		"a new fixed variable":          {"npm", npx("a", "1.0.0"), env(npx("a", "1.1.0"), "RUN", "something"), true},
		"a changed fixed variable":      {"npm", env(npx("a", "1.0.0"), "RUN", "it"), env(npx("a", "1.1.0"), "RUN", "something"), true},
		"a new variable with an answer": {"npm", npx("a", "1.0.0"), env(npx("a", "1.1.0"), "CITY", "entered"), false},
		"a new secret":                  {"npm", npx("a", "1.0.0"), env(npx("a", "1.1.0"), "KEY", "${secret:KEY}"), false},
		"a secret inside a fixed text":  {"npm", npx("a", "1.0.0"), env(npx("a", "1.1.0"), "KEY", "--x=${secret:KEY}"), true},
		"another path of a server":      {plan.Remote, remote("https://a.example/v1/mcp"), remote("https://a.example/v2/mcp"), false},
		"another server":                {plan.Remote, remote("https://a.example/mcp"), remote("https://a.example.evil/mcp"), true},
		"another port of a server":      {plan.Remote, remote("https://a.example/mcp"), remote("https://a.example:444/mcp"), true},
		"another bundle": {
			"mcpb", file("https://a.example/1.mcpb", "/b/1/run"), file("https://a.example/2.mcpb", "/b/2/run"), false,
		},
		"a bundle of somebody else": {
			"mcpb", file("https://a.example/1.mcpb", "/b/1/run"), file("https://b.example/2.mcpb", "/b/2/run"), true,
		},
	} {
		var server registry.Server
		c.is.Apply(&server)
		v := version{install: installer.Install{Configured: c.was}, plan: &plan.Plan{Option: plan.Option{Kind: c.kind}, Server: server}}
		if got := v.startsDifferently(map[string][]string{"CITY": {"entered"}}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
