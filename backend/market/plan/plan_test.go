package plan

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
)

// here returns a machine on which all programs except docker work.
func here() Machine {
	m := Machine{OS: "linux", Home: "/home/ada", Packages: "/data/packages", Bundles: "/data/bundles", Registry: registries(nil)}
	for _, name := range prerequisites.Programs() {
		m.Programs.Programs = append(m.Programs.Programs,
			prerequisites.Program{Name: name, Path: "/usr/bin/" + name, Version: "22.1.0", Works: name != prerequisites.Docker})
	}
	return m
}

// registries returns a function for Machine.Registry. other replaces some of the addresses.
func registries(other map[listing.Kind]string) func(listing.Kind, string) string {
	return func(kind listing.Kind, _ string) string {
		return cmp.Or(other[kind], map[listing.Kind]string{"npm": "https://npm.example/", "pypi": "https://pypi.example/simple"}[kind])
	}
}

func packaged(packages ...listing.Package) listing.Listing {
	return listing.Listing{
		Source: listing.Official, Name: "io.example.ada/weather", Version: "1.0.0", Description: "Weather", Packages: packages,
	}
}

func mustMake(t *testing.T, r Request, m Machine) *Plan {
	t.Helper()
	p, err := Make(r, m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func fixed(text string) listing.Argument {
	return listing.Argument{Input: listing.Input{Value: text}}
}

func option(name, text string) listing.Argument {
	return listing.Argument{Named: true, Name: name, Input: listing.Input{Value: text}}
}

func TestCommandsOfPackages(t *testing.T) {
	for _, test := range []struct {
		name    string
		pkg     listing.Package
		release listing.Release
		answers map[string][]string
		want    string
	}{
		{"npm", listing.Package{Kind: "npm", Identifier: "weather", Version: "1.2.3"}, listing.Release{}, nil, "npx -y weather@1.2.3"},
		{
			"npm with a scope", listing.Package{
				Kind: "npm", Identifier: "@ada/weather", Version: "1.2.3-beta.1",
			}, listing.Release{}, nil, "npx -y @ada/weather@1.2.3-beta.1",
		},
		{
			"npm without a version",
			listing.Package{Kind: "npm", Identifier: "weather"},
			listing.Release{Version: "2.0.0"},
			nil,
			"npx -y weather@2.0.0",
		},
		{
			"npm with the tag latest", listing.Package{
				Kind: "npm", Identifier: "weather", Version: "latest",
			}, listing.Release{Version: "2.0.0"}, nil, "npx -y weather@2.0.0",
		},
		{
			"npm with a range", listing.Package{
				Kind: "npm", Identifier: "weather", Version: "1.x",
			}, listing.Release{Version: "1.9.0"}, nil, "npx -y weather@1.9.0",
		},
		{
			"npm whose options the plan has anyway",
			listing.Package{
				Kind: "npm", Identifier: "weather", Version: "1.2.3", Before: []listing.Argument{
					fixed("-y"), option("--yes", ""), fixed("weather@latest"),
				},
			},
			listing.Release{},
			nil, "npx -y weather@1.2.3",
		},
		{
			"npm with another program",
			listing.Package{
				Kind: "npm", Identifier: "weather", Version: "1.2.3", Before: []listing.Argument{
					option("--package", "weather"), fixed("weather-mcp"),
				},
			},
			listing.Release{},
			nil, "npx -y --package weather@1.2.3 weather-mcp",
		},
		{
			"npm with a program of the listing",
			listing.Package{Kind: "npm", Identifier: "weather", Version: "1.2.3", Program: "mcp"},
			listing.Release{},
			nil, "npx -y --package weather@1.2.3 mcp",
		},
		{
			"npm with a resolved program", listing.Package{
				Kind: "npm", Identifier: "weather", Version: "1.2.3",
			}, listing.Release{Version: "1.2.3", Program: "mcp"}, nil, "npx -y --package weather@1.2.3 mcp",
		},
		{
			"npm whose listing names a program",
			listing.Package{Kind: "npm", Identifier: "weather", Version: "1.2.3", Program: "mcp"},
			listing.Release{Version: "1.0.0", Program: "other"},
			nil, "npx -y --package weather@1.2.3 mcp",
		},
		{
			"pypi whose listing names a program",
			listing.Package{Kind: "pypi", Identifier: "weather", Version: "1.0", Program: "mcp"},
			listing.Release{},
			nil, "uvx --from weather==1.0 mcp",
		},
		{
			"pypi", listing.Package{
				Kind: "pypi", Identifier: "mcp-server-time", Version: "2025.7.1", Runtime: "python",
			}, listing.Release{}, nil, "uvx mcp-server-time@2025.7.1",
		},
		{
			"pypi with another program", listing.Package{
				Kind: "pypi", Identifier: "weather", Version: "1.0", Before: []listing.Argument{
					option("--from", "weather"), fixed("weather-mcp"),
				},
			}, listing.Release{}, nil, "uvx --from weather==1.0 weather-mcp",
		},
		{
			"pypi whose program has the name of the package",
			listing.Package{
				Kind: "pypi", Identifier: "weather", Version: "1.0",
				Before: []listing.Argument{fixed("--from=weather==0.9"), fixed("weather")},
			},
			listing.Release{},
			nil, "uvx --from weather==1.0 weather",
		},
		{
			"pypi with options",
			listing.Package{
				Kind: "pypi", Identifier: "weather", Version: "1.0", Before: []listing.Argument{
					option("--python", "3.12"), option("--with", "httpx==0.27.0"),
				},
			},
			listing.Release{},
			nil, "uvx --python=3.12 --with=httpx==0.27.0 weather@1.0",
		},
		{
			"pypi with extras", listing.Package{
				Kind: "pypi", Identifier: "weather[http]", Version: "1.0",
			}, listing.Release{}, nil, "uvx --from weather[http]==1.0 weather",
		},
		{
			"nuget", listing.Package{
				Kind: "nuget", Identifier: "TimeMcpServer", Version: "1.0.8",
			}, listing.Release{}, nil, "dnx TimeMcpServer@1.0.8 --yes",
		},
		{
			"nuget with arguments",
			listing.Package{
				Kind: "nuget", Identifier: "Knapcode.SampleMcpServer", Version: "0.4.0-beta",
				Arguments: []listing.Argument{fixed("mcp"), fixed("start")},
			},
			listing.Release{},
			nil, "dnx Knapcode.SampleMcpServer@0.4.0-beta --yes -- mcp start",
		},
		{
			"cargo", listing.Package{
				Kind: "cargo", Identifier: "widget-mcp", Version: "0.3.0",
			}, listing.Release{}, nil, "/data/packages/cargo-widget-mcp-0.3.0/bin/widget-mcp",
		},
		{
			"oci", listing.Package{
				Kind: "oci", Identifier: "registry.example/ada/weather:1.7.2",
			}, listing.Release{}, nil, "podman run -i --rm registry.example/ada/weather:1.7.2",
		},
		{
			"oci with the tag latest",
			listing.Package{Kind: "oci", Identifier: "registry.example:443/ada/weather:latest"},
			listing.Release{},
			nil, "podman run -i --rm registry.example:443/ada/weather@sha256:" + strings.Repeat("a", 64),
		},
		{
			"oci with mounts",
			listing.Package{Kind: "oci", Identifier: "mcp/filesystem:1.0.2", Before: []listing.Argument{
				fixed("run"), fixed("-i"), fixed("--rm"), option("--init", ""),
				{Named: true, Name: "--mount", Repeated: true, Input: listing.Input{
					Value: "type=bind,src={source_path},dst={target_path}", Required: true,
				}, Variables: map[string]listing.Input{
					"source_path": {Format: "filepath", Required: true}, "target_path": {Required: true, Default: "/project"},
				}},
			}, Arguments: []listing.Argument{fixed("/project")}},
			listing.Release{},
			map[string][]string{"source_path": {"~/a", "/b"}, "target_path": {"/project/a", "/project/b"}},
			"podman run -i --rm --init --mount type=bind,src=/home/ada/a,dst=/project/a --mount type=bind,src=/b,dst=/project/b " +
				"mcp/filesystem:1.0.2 /project",
		},
		{
			"oci with variables",
			listing.Package{Kind: "oci", Identifier: "ada/db:3.0.0", Before: []listing.Argument{
				option("--network", "host"),
				{
					Named: true, Name: "-e", Repeated: true, Input: listing.Input{Value: "DB_TYPE={db_type}"},
					Variables: map[string]listing.Input{"db_type": {Choices: []string{"postgres", "mysql"}, Required: true}},
				},
				fixed("-e"), fixed("LEVEL=info"),
			}, Env: []listing.Field{{Name: "DB_PASSWORD", Input: listing.Input{Required: true, Secret: true}}}},
			listing.Release{},
			map[string][]string{"db_type": {"mysql"}, "DB_PASSWORD": {"hunter2"}},
			"podman run -i --rm --network host -e DB_PASSWORD -e DB_TYPE -e LEVEL ada/db:3.0.0",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := mustMake(t, Request{
				Listing: packaged(test.pkg), Release: test.release, Digest: "sha256:" + strings.Repeat("a", 64), Answers: test.answers,
			}, here())
			if err := p.Check(); err != nil {
				t.Fatalf("%v; questions %+v", err, p.Questions)
			}
			if got := strings.Join(p.Command, " "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if got := append([]string{p.Server.Command}, p.Server.Args...); !slices.Equal(got, p.Command) ||
				p.Server.Transport != "stdio" || p.Server.Name != "weather" || p.Server.Source != Source {
				t.Errorf("the server is %+v", p.Server)
			}
			if text, err := json.Marshal(p); err != nil || strings.Contains(string(text), "hunter2") {
				t.Errorf("the plan contains a secret: %s", text)
			}
		})
	}
}

func TestSecretsAreReferencesAndNoArguments(t *testing.T) {
	p := mustMake(t, Request{Listing: packaged(listing.Package{
		Kind: "oci", Identifier: "ada/db:3.0.0",
		Before: []listing.Argument{
			{
				Named: true, Name: "-e", Input: listing.Input{Value: "DSN=db://{user}:{password}@db"},
				Variables: map[string]listing.Input{"user": {Required: true}, "password": {Required: true, Secret: true}},
			},
		},
		Env: []listing.Field{
			{Name: "API_KEY", Input: listing.Input{Required: true}},
			{Name: "LEVEL", Input: listing.Input{Default: "info"}},
			{Name: "OPTIONAL"},
		},
	}), Answers: map[string][]string{"user": {"ada"}, "password": {"hunter2"}, "API_KEY": {"s3cret"}}}, here())
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"API_KEY": "${secret:API_KEY}", "DSN": "db://ada:${secret:DSN:password}@db", "LEVEL": "info"}
	if !maps.Equal(p.Env, want) || !maps.Equal(p.Server.Env, want) {
		t.Errorf("env is %v", p.Env)
	}
	if got := p.Values(); !maps.Equal(got, map[string]string{"API_KEY": "s3cret", "DSN:password": "hunter2"}) {
		t.Errorf("secrets are %v", got)
	}
	if got := strings.Join(p.Command, " "); got != "podman run -i --rm -e API_KEY -e LEVEL -e DSN ada/db:3.0.0" {
		t.Errorf("command is %s", got)
	}
}

func TestVariablesOfContainersAreDeclaredOnce(t *testing.T) {
	p := mustMake(t, Request{Listing: packaged(listing.Package{
		Kind: "oci", Identifier: "ada/db:3.0.0",
		Before: []listing.Argument{option("-e", "API_KEY=your_key"), option("-e", "CODE"), fixed("-e"), fixed("UNITS")},
		Env:    []listing.Field{{Name: "API_KEY", Input: listing.Input{Required: true}}, {Name: "UNITS"}, {Name: "units"}},
	})}, here())
	var names []string
	for _, q := range p.Questions {
		names = append(names, q.Name)
		if secret := q.Name != "UNITS"; q.Secret != secret { // the listing does not declare CODE
			t.Errorf("%s: secret is %t", q.Name, q.Secret)
		}
	}
	if got := strings.Join(names, " "); got != "API_KEY UNITS CODE" {
		t.Errorf("asked are %s: %s", got, p.Problem)
	}
}

func TestVariablesOfASecretAreSecret(t *testing.T) {
	p := mustMake(t, Request{Listing: packaged(listing.Package{
		Kind: "npm", Identifier: "weather", Version: "1.0.0",
		Env: []listing.Field{
			{
				Name: "DSN", Input: listing.Input{Value: "db://{account}@x", Secret: true},
				Variables: map[string]listing.Input{"account": {Required: true}},
			},
		},
	}), Answers: map[string][]string{"account": {"ada:pw"}}}, here())
	if got := p.Server.Env["DSN"]; got != "db://${secret:DSN:account}@x" {
		t.Errorf("the variable is %q", got)
	}
}

func TestAnAnswerThatLooksLikeACredentialIsASecret(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	p := mustMake(t, Request{Listing: packaged(listing.Package{
		Kind: "npm", Identifier: "weather", Version: "1.0.0", Env: []listing.Field{{Name: "PLACE", Input: listing.Input{Required: true}}},
	}), Answers: map[string][]string{"PLACE": {token}}}, here())
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if shown, err := json.Marshal(p); err != nil || strings.Contains(string(shown), token) || p.Env["PLACE"] != "${secret:PLACE}" ||
		p.Values()["PLACE"] != token {
		t.Errorf("got %s, %v", shown, err)
	}
}

func TestASecretArgumentIsAReferenceAndSaysSo(t *testing.T) {
	p := mustMake(t, Request{Listing: packaged(listing.Package{
		Kind: "npm", Identifier: "pg", Version: "1.0.0",
		Arguments: []listing.Argument{{Hint: "database_url", Input: listing.Input{Required: true, Secret: true}}},
	}), Answers: map[string][]string{"database_url": {"postgres://ada:pw@db/x"}}}, here())
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Command, " "); got != "npx -y pg@1.0.0 ${secret:argument:database_url}" {
		t.Errorf("command is %s", got)
	}
	if len(p.Secrets) != 1 || !p.Secrets[0].Visible ||
		!strings.Contains(strings.Join(p.Notes, " "), "other programs on this computer can see it") {
		t.Errorf("secrets are %+v, notes %q", p.Secrets, p.Notes)
	}
}

func TestArguments(t *testing.T) {
	named := func(name string, in listing.Input) listing.Argument {
		return listing.Argument{Named: true, Name: name, Input: in}
	}
	for _, test := range []struct {
		name    string
		args    []listing.Argument
		answers map[string][]string
		want    string // arguments, separated by |
		missing string // names of questions, separated by |
	}{
		{"fixed", []listing.Argument{fixed("mcp"), fixed("--verbose")}, nil, "mcp|--verbose", ""},
		{"flag", []listing.Argument{named("--read-only", listing.Input{})}, nil, "--read-only", ""},
		{"named with a fixed value", []listing.Argument{option("-t", "stdio")}, nil, "-t|stdio", ""},
		{
			"default", []listing.Argument{
				named("--mode", listing.Input{Default: "local", Choices: []string{"local", "cached"}}),
			}, nil, "--mode|local", "",
		},
		{
			"an empty answer omits the default",
			[]listing.Argument{named("--mode", listing.Input{Default: "local"})},
			map[string][]string{"--mode": {""}},
			"", "",
		},
		{
			"optional without an answer", []listing.Argument{
				named("--port", listing.Input{Description: "Port", Format: "number"}),
			}, nil, "", "",
		},
		{
			"number",
			[]listing.Argument{named("--port", listing.Input{Format: "number"})},
			map[string][]string{"--port": {" 8080 "}},
			"--port|8080", "",
		},
		{
			"negative number", []listing.Argument{
				named("--offset", listing.Input{Format: "number"}),
			}, map[string][]string{"--offset": {"-5"}}, "--offset=-5", "",
		},
		{
			"negative number after a short name",
			[]listing.Argument{named("-o", listing.Input{Format: "number"})},
			map[string][]string{"-o": {"-5"}},
			"", "-o",
		},
		{
			"no number",
			[]listing.Argument{named("--port", listing.Input{Format: "number"})},
			map[string][]string{"--port": {"0x10"}},
			"", "--port",
		},
		{
			"exponent",
			[]listing.Argument{named("--port", listing.Input{Format: "number"})},
			map[string][]string{"--port": {"1e5"}},
			"", "--port",
		},
		{
			"infinity",
			[]listing.Argument{named("--port", listing.Input{Format: "number"})},
			map[string][]string{"--port": {"inf"}},
			"", "--port",
		},
		{
			"boolean", []listing.Argument{
				named("--debug", listing.Input{Format: "boolean"}),
			}, map[string][]string{"--debug": {"True"}}, "--debug=true", "",
		},
		{
			"no boolean", []listing.Argument{
				named("--debug", listing.Input{Format: "boolean"}),
			}, map[string][]string{"--debug": {"yes"}}, "", "--debug",
		},
		{
			"path in the home folder",
			[]listing.Argument{{Hint: "dir", Input: listing.Input{Format: "filepath", Required: true}}},
			map[string][]string{"dir": {"~/docs"}},
			"/home/ada/docs", "",
		},
		{
			"relative path", []listing.Argument{
				{Hint: "dir", Input: listing.Input{Format: "filepath", Required: true}},
			}, map[string][]string{"dir": {"docs"}}, "", "dir",
		},
		{
			"required", []listing.Argument{
				{Hint: "dir", Input: listing.Input{Required: true}}, named("--key", listing.Input{Required: true}),
			}, nil, "", "dir|--key",
		},
		{
			"repeated", []listing.Argument{
				{Hint: "dir", Repeated: true, Input: listing.Input{Required: true}},
			}, map[string][]string{"dir": {"/a", "/b"}}, "/a|/b", "",
		},
		{
			"repeated with a name",
			[]listing.Argument{{Named: true, Name: "--dir", Repeated: true, Input: listing.Input{Required: true}}},
			map[string][]string{"--dir": {"/a", "/b"}},
			"--dir|/a|--dir|/b", "",
		},
		{
			"several answers where one is asked for", []listing.Argument{
				{Hint: "dir", Input: listing.Input{Required: true}},
			}, map[string][]string{"dir": {"/a", "/b"}}, "", "dir",
		},
		{
			"not one of the choices", []listing.Argument{
				named("--mode", listing.Input{Choices: []string{"local", "cached"}}),
			}, map[string][]string{"--mode": {"other"}}, "", "--mode",
		},
		{
			"an option as an answer", []listing.Argument{
				{Hint: "dir", Input: listing.Input{Required: true}},
			}, map[string][]string{"dir": {"--unsafe"}}, "", "dir",
		},
		{
			"an empty answer passes the name alone",
			[]listing.Argument{named("--read-only", listing.Input{Description: "Only read"})},
			map[string][]string{"--read-only": {""}},
			"--read-only", "",
		},
		{"name with a sign", []listing.Argument{named("--port=", listing.Input{})}, map[string][]string{"--port": {"1"}}, "--port=1", ""},
		{
			"same name twice", []listing.Argument{
				{Hint: "dir", Input: listing.Input{Required: true}}, {Hint: "dir", Input: listing.Input{Required: true}},
			}, map[string][]string{"dir": {"/a"}, "dir-2": {"/b"}}, "/a|/b", "",
		},
		{
			"variables are replaced once",
			[]listing.Argument{
				{
					Input:     listing.Input{Value: "{a}-{b}-{c}"},
					Variables: map[string]listing.Input{"a": {Required: true}, "b": {Default: "2"}},
				},
			},
			map[string][]string{"a": {"{b}"}},
			"{b}-2-{c}", "",
		},
		{
			"an optional value without an answer for its variable is left out",
			[]listing.Argument{{Input: listing.Input{Value: "--x={a}"}, Variables: map[string]listing.Input{"a": {}}}},
			nil, "", "",
		},
		{
			"a variable of a required value is required",
			[]listing.Argument{{Input: listing.Input{Value: "--x={a}", Required: true}, Variables: map[string]listing.Input{"a": {}}}},
			nil, "", "a",
		},
		{
			"variables with a fixed value",
			[]listing.Argument{
				{Input: listing.Input{Value: "{a}/{b}"}, Variables: map[string]listing.Input{"a": {Value: "one"}, "b": {Required: true}}},
			},
			map[string][]string{"b": {"two"}},
			"one/two", "",
		},
		{
			"a variable at the beginning cannot lead to an option",
			[]listing.Argument{{Input: listing.Input{Value: "{a}x", Required: true}, Variables: map[string]listing.Input{"a": {}}}},
			map[string][]string{"a": {"--"}},
			"", "a",
		},
		{
			"answers cannot lead to references",
			[]listing.Argument{
				{Input: listing.Input{Value: "{a}{secret:KEY}", Required: true}, Variables: map[string]listing.Input{"a": {}}},
			},
			map[string][]string{"a": {"$"}},
			"", "a",
		},
		{
			"answers are no references", []listing.Argument{
				{Hint: "dir", Input: listing.Input{Required: true}},
			}, map[string][]string{"dir": {"${env:AWS_SECRET_ACCESS_KEY}"}}, "", "dir",
		},
		{"braces without a variable are kept", []listing.Argument{fixed("{format}")}, nil, "{format}", ""},
		{
			"shell characters stay one argument", []listing.Argument{
				{Hint: "q", Input: listing.Input{Required: true}},
			}, map[string][]string{"q": {"; rm -rf ~ $(id) `id` | x > y"}}, "; rm -rf ~ $(id) `id` | x > y", "",
		},
		{
			"an input of a README does not block", []listing.Argument{
				named("--key", listing.Input{Required: true, From: listing.FromReadme}),
			}, nil, "", "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := mustMake(t, Request{
				Listing: packaged(listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0", Arguments: test.args}),
				Answers: test.answers,
			}, here())
			if p.Problem != "" {
				t.Fatal(p.Problem)
			}
			if got := strings.Join(p.Command[3:], "|"); got != test.want {
				t.Errorf("arguments are %s, want %s", got, test.want)
			}
			var missing []string
			for _, q := range p.Unanswered() {
				if missing = append(missing, q.Name); q.Why == "" || q.Where == "" || q.Label == "" {
					t.Errorf("the question %+v does not say why it is asked", q)
				}
			}
			if got := strings.Join(missing, "|"); got != test.missing {
				t.Errorf("unanswered are %q, want %q: %+v", got, test.missing, p.Questions)
			}
			if (p.Check() == nil) != (test.missing == "") || (p.Hash == "") != (test.missing != "") ||
				(p.Server.Command == "") != (test.missing != "") {
				t.Errorf("check is %v, hash %q, server %+v", p.Check(), p.Hash, p.Server)
			}
		})
	}
}

func TestQuestionsAreComplete(t *testing.T) {
	p := mustMake(t, Request{Listing: packaged(listing.Package{
		Kind: "npm", Identifier: "weather", Version: "1.0.0",
		Env: []listing.Field{
			{Name: "API_KEY", Input: listing.Input{Description: "The\nkey", Required: true, Secret: true, Placeholder: "sk-…"}},
			{Name: "UNITS", Input: listing.Input{Choices: []string{"metric", "imperial"}, Default: "metric"}},
			{Name: "MAX_TOKENS", Input: listing.Input{Format: "number"}},
			{Name: "GITHUB_TOKEN"},
		},
	})}, here())
	want := []Question{
		{
			Name: "API_KEY", Label: "API_KEY", Description: "The key", Where: "The variable API_KEY", Variable: "API_KEY",
			Required: true, Secret: true,
			Placeholder: "sk-…", Missing: true, Why: "The variable API_KEY is required.",
		},
		{
			Name: "UNITS", Label: "UNITS", Where: "The variable UNITS", Variable: "UNITS", Choices: []string{"metric", "imperial"},
			Default: "metric",
		},
		{Name: "MAX_TOKENS", Label: "MAX_TOKENS", Where: "The variable MAX_TOKENS", Variable: "MAX_TOKENS", Format: "number"},
		{Name: "GITHUB_TOKEN", Label: "GITHUB_TOKEN", Where: "The variable GITHUB_TOKEN", Variable: "GITHUB_TOKEN", Secret: true},
	}
	got, _ := json.Marshal(p.Questions)
	if wanted, _ := json.Marshal(want); string(got) != string(wanted) {
		t.Errorf("got  %s\nwant %s", got, wanted)
	}
	if err := p.Check(); fault.KindOf(err) != fault.Invalid ||
		!strings.Contains(fault.MessageOf(err), "API_KEY (The variable API_KEY is required)") {
		t.Errorf("check is %v", err)
	}
}

func TestAnswersWithoutAQuestionAreAnError(t *testing.T) {
	_, err := Make(Request{
		Listing: packaged(listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0", Env: []listing.Field{{Name: "KEY"}}}),
		Answers: map[string][]string{"KEYS": {"x"}},
	}, here())
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "does not ask for KEYS; it asks for KEY") {
		t.Errorf("got %v", err)
	}
}

func TestVersionsArePinned(t *testing.T) {
	for _, version := range []string{"", "latest", "next", "^1.2.0", "~1", ">=1", "1.x", "1.*", "*", "1.0.0 || 2", "1 - 2"} {
		p := mustMake(t, Request{Listing: packaged(listing.Package{Kind: "npm", Identifier: "weather", Version: version})}, here())
		if p.Unresolved != Version || p.Command != nil || p.Hash != "" || fault.KindOf(p.Check()) != fault.Unavailable {
			t.Errorf("%q: unresolved %q, command %q", version, p.Unresolved, p.Command)
		}
	}
	for name, image := range map[string]string{
		"weather": "weather:latest", "ada/weather:latest": "ada/weather:latest",
		"registry.example/ada/weather:main": "registry.example/ada/weather:main",
		"ada/weather:1":                     "ada/weather:1", "ada/weather:v1.2": "ada/weather:v1.2",
		"ada/weather:3.12-slim": "ada/weather:3.12-slim",
	} {
		if p := mustMake(t, Request{Listing: packaged(listing.Package{Kind: "oci", Identifier: name})}, here()); p.Unresolved != Digest ||
			p.Command != nil || p.Download.Image() != image {
			t.Errorf("%q: unresolved %q, command %q, problem %s", name, p.Unresolved, p.Command, p.Problem)
		}
	}
}

func TestAnOldNpxGetsNoArgumentsThatAShellWouldChange(t *testing.T) {
	for version, safe := range map[string]bool{"8.12.1": false, "9.0.0": true, "11.2.0": true} {
		for answer, harmless := range map[string]bool{"/home/ada/docs": true, "a b": false, "$(id)": false} {
			m := here()
			m.Programs.Programs[slices.Index(prerequisites.Programs(), prerequisites.NPX)].Version = version
			p := mustMake(t, Request{
				Listing: packaged(listing.Package{
					Kind: "npm", Identifier: "weather", Version: "1.0.0",
					Arguments: []listing.Argument{{Hint: "q", Input: listing.Input{Required: true}}},
				}), Answers: map[string][]string{"q": {answer}},
			}, m)
			if (p.Problem == "") != (safe || harmless) {
				t.Errorf("npx %s with %q: %q", version, answer, p.Problem)
			}
		}
	}
}

func TestAReleaseIsAboutThePackageOfItsOption(t *testing.T) {
	l := packaged(listing.Package{Kind: "npm", Identifier: "weather"}, listing.Package{Kind: "pypi", Identifier: "weather"})
	release := listing.Release{Version: "1.0.0", Program: "mcp", Requires: ">=99", Deprecated: "Use 2."}
	p := mustMake(t, Request{Listing: l, Release: release, Option: "npm"}, here())
	if strings.Join(p.Command, " ") != "npx -y --package weather@1.0.0 mcp" || !strings.Contains(strings.Join(p.Notes, " "), "Use 2.") ||
		p.Missing != "node has the version 22.1.0, but the package needs >=99." {
		t.Errorf("the plan is %+v", p)
	}
	for _, o := range p.Options {
		if o.ID == "pypi" && !o.Ready {
			t.Errorf("the other option is %+v", o)
		}
	}
	if p := mustMake(t, Request{Listing: l, Release: release}, here()); p.Unresolved != Version {
		t.Errorf("without an option, the command is %q", p.Command)
	}
}

func TestAnotherPackageRegistryNeedsConsent(t *testing.T) {
	pkg := listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0", BaseURL: "https://other.example/"}
	p := mustMake(t, Request{Listing: packaged(pkg)}, here())
	if missing := p.Unanswered(); len(missing) != 1 || missing[0].Name != "registry" ||
		!strings.Contains(missing[0].Description, "https://other.example/") || p.Hash != "" {
		t.Fatalf("unanswered are %+v", missing)
	}
	for answer, want := range map[string]string{
		"https://npm.example/": "npx -y weather@1.0.0", "https://other.example/": "npx -y --registry=https://other.example weather@1.0.0",
	} {
		p := mustMake(t, Request{Listing: packaged(pkg), Answers: map[string][]string{"registry": {answer}}}, here())
		if got := strings.Join(p.Command, " "); got != want || p.Download.From != answer {
			t.Errorf("%s: %s from %s", answer, got, p.Download.From)
		}
	}
	pkg = listing.Package{Kind: "pypi", Identifier: "weather", Version: "1.0", BaseURL: "https://pypi.example"}
	if p := mustMake(t, Request{Listing: packaged(pkg)}, here()); len(p.Questions) != 0 ||
		p.Download.From != "https://pypi.example/simple" {
		t.Errorf("the user's own registry is asked about: %+v", p.Questions)
	}
	m := here()
	m.Registry = registries(map[listing.Kind]string{"npm": "https://ada:pw@npm.example/"})
	if p := mustMake(t, Request{
		Listing: packaged(listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0"}),
	}, m); p.Download.From != "https://npm.example/" {
		t.Errorf("the address shows a password: %s", p.Download.From)
	}
}

func TestHashChangesWithWhatIsApproved(t *testing.T) {
	pkg := listing.Package{
		Kind: "npm", Identifier: "weather", Version: "1.0.0",
		Env: []listing.Field{{Name: "KEY", Input: listing.Input{Secret: true}}, {Name: "UNITS"}},
	}
	hash := func(change func(*Request)) string {
		r := Request{Listing: packaged(pkg), Answers: map[string][]string{"KEY": {"one"}}}
		change(&r)
		return mustMake(t, r, here()).Hash
	}
	before := hash(func(*Request) {})
	if before != hash(func(*Request) {}) {
		t.Error("the same plan has another hash")
	}
	if before != hash(func(r *Request) { r.Answers["KEY"] = []string{"two"} }) {
		t.Error("the hash depends on the value of a secret")
	}
	for name, change := range map[string]func(*Request){
		"version":  func(r *Request) { r.Listing.Packages[0].Version = "1.0.1" },
		"argument": func(r *Request) { r.Listing.Packages[0].Arguments = []listing.Argument{fixed("x")} },
		"variable": func(r *Request) { r.Answers["UNITS"] = []string{"metric"} },
		"secret":   func(r *Request) { delete(r.Answers, "KEY") },
		"checksum": func(r *Request) { r.Listing.Packages[0].SHA256 = strings.Repeat("a", 64) },
		"listing":  func(r *Request) { r.Listing.Name = "io.example/other" },
	} {
		if before == hash(func(r *Request) { r.Listing.Packages = slices.Clone(r.Listing.Packages); change(r) }) {
			t.Errorf("the hash does not depend on the %s", name)
		}
	}
}

func TestCargoIsHonest(t *testing.T) {
	p := mustMake(t, Request{Listing: packaged(listing.Package{Kind: "cargo", Identifier: "widget-mcp", Version: "0.3.0"})}, here())
	if len(p.Steps) != 1 ||
		strings.Join(p.Steps[0].Command,
			" ") != "cargo install --locked --version 0.3.0 --root /data/packages/cargo-widget-mcp-0.3.0 widget-mcp" {
		t.Errorf("steps are %+v", p.Steps)
	}
}

func TestPlanShowsWhatIsDownloadedAndWhatItCanDo(t *testing.T) {
	p := mustMake(t, Request{Listing: packaged(listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0"})}, here())
	if *p.Download != (Download{Kind: "npm", Name: "weather", Version: "1.0.0", From: "https://npm.example/"}) {
		t.Errorf("download is %+v", p.Download)
	}
	if !strings.HasPrefix(p.Risk.Consequence,
		"It downloads “weather@1.0.0” from npm and runs it with your permissions in the sandbox “guard”") || len(p.Risk.Warnings) > 0 {
		t.Errorf("risk is %+v", p.Risk)
	}
}

func TestWithdrawnAndEmptyListings(t *testing.T) {
	gone := packaged(listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0"})
	gone.Status = listing.Deleted
	for _, l := range []listing.Listing{gone, packaged()} {
		if _, err := Make(Request{Listing: l}, here()); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%+v: %v", l, err)
		}
	}
	gone.Status, gone.Message = listing.Deprecated, "Use another one."
	if p := mustMake(t, Request{Listing: gone}, here()); p.Check() != nil ||
		!strings.Contains(strings.Join(p.Notes, " "), "Use another one.") {
		t.Errorf("notes are %q", p.Notes)
	}
}

func TestServerNames(t *testing.T) {
	for name, want := range map[string]string{
		"io.github.ada/weather": "weather", "@ada/weather-mcp": "weather-mcp", "weather": "weather", "io.github.ada/mcp": "ada-mcp",
		"@stripe/mcp": "stripe-mcp", "com.example/registry": "server-registry", "x/__a__": "a", "x/日本": "server",
	} {
		if got := ServerName(listing.Listing{Name: name}); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if _, err := Make(Request{Name: "a b", Listing: packaged(listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0"})},
		here()); fault.KindOf(err) != fault.Invalid {
		t.Errorf("an invalid name is accepted: %v", err)
	}
}
