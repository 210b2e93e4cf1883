package registry

import "testing"

func TestServersRunTheSameProgramIfOnlyTheirAccountsDiffer(t *testing.T) {
	stdio := func(command string, args ...string) Server {
		return Server{Transport: "stdio", Command: command, Args: args}
	}
	remote := func(url string) Server { return Server{Transport: "sse", URL: url} }
	for what, row := range map[string]struct {
		a, b Server
		want bool
	}{
		"the same package for another folder": {stdio("npx", "-y", "files", "/a"), stdio("npx", "files", "/b"), true},
		"the same image":                      {stdio("docker", "run", "-i", "image"), stdio("docker", "run", "--rm", "image", "x"), true},
		"another package":                     {stdio("npx", "-y", "files"), stdio("npx", "-y", "mail"), false},
		"another runner":                      {stdio("npx", "files"), stdio("uvx", "files"), false},
		"packages of the marketplace": {
			Server{Package: Package{Name: "a"}, Command: "npx"}, Server{Package: Package{Name: "a"}, Command: "/bin/a"}, true,
		},
		"the same address":         {remote("https://one.example/mcp"), remote("https://one.example/mcp"), true},
		"another address":          {remote("https://one.example/mcp"), remote("https://two.example/mcp"), false},
		"an address and a program": {remote("https://one.example/mcp"), stdio("npx", "files"), false},
	} {
		if got, back := row.a.SameProgram(row.b), row.b.SameProgram(row.a); got != row.want || back != row.want {
			t.Errorf("%s: %v and %v, want %v", what, got, back, row.want)
		}
	}
}
