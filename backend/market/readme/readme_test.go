package readme

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// shorten formats the inputs: NAME for a variable, NAME! for a required one, and NAME* for a secret one.
func shorten(in Inputs) string {
	var out []string
	for _, f := range in.Env {
		mark := ""
		if f.Required {
			mark += "!"
		}
		if f.Secret {
			mark += "*"
		}
		out = append(out, f.Name+mark)
	}
	return strings.Join(out, " ")
}

func TestVariablesAreFound(t *testing.T) {
	for name, row := range map[string]struct{ text, want string }{
		"a configuration": {
			"# X\n```json\n{\"mcpServers\": {\"x\": {\"command\": \"npx\", \"args\": [\"-y\", \"x-mcp\"], \"env\": {\"X_API_KEY\": " +
				"\"<your key>\", \"X_REGION\": \"eu\"}}}}\n```\n", "X_API_KEY!* X_REGION",
		},
		"with comments and commas": {
			"```jsonc\n{\n // servers, see https://x.example\n \"servers\": {\"x\": {\"command\": \"npx\", \"env\": {\"X_TOKEN\": " +
				"\"your-token\", /* more */ },},},\n}\n```",
			"X_TOKEN!*",
		},
		"a part of a configuration": {"```json\n\"x\": {\"command\": \"uvx\", \"env\": {\"X_TOKEN\": \"...\"}}\n```", "X_TOKEN!*"},
		"only in one of two": {
			"```json\n{\"command\":\"npx\",\"env\":{\"X_TOKEN\":\"<t>\"}}\n```\n```json\n{\"command\":\"npx\"}\n```", "X_TOKEN*",
		},
		"a container": {
			"```json\n{\"command\":\"docker\",\"args\":[\"run\",\"-i\",\"-e\",\"X_TOKEN\",\"-e\",\"X_URL=https://x.example\",\"x/x\"]}\n```",
			"X_TOKEN* X_URL",
		},
		"a table": {
			"| Environment Variable | Required | Default | Description |\n|---|:-:|---|---|\n" +
				"| `X_TOKEN` | ✅ | | The [token](https://x) |\n| `X_LIMIT` | no | 10 | Rows |\n\nText", "X_TOKEN!* X_LIMIT",
		},
		"a table without rules": {"| a | b |\n| `X_TOKEN` | yes |\n", ""},
		"a list": {
			"- `X_TOKEN` (required): the token\n* **X_HOST**: optional, the host\n- `X_MODE` - the mode\n- JSON: a format\n",
			"X_TOKEN!* X_HOST X_MODE",
		},
		"a shell": {"```bash\nexport X_TOKEN=abc\nX_HOST=localhost\nnpx x\n```", "X_HOST X_TOKEN*"},
		"not wanted": {
			"```json\n{\"command\":\"npx\",\"env\":{\"NODE_OPTIONS\":\"--require " +
				"/tmp/x\",\"LD_PRELOAD\":\"x\",\"PATH\":\"x\",\"HTTP_PROXY\":\"x\",\"a;$(b)\":\"x\",\"X " +
				"Y\":\"\",\"../X_Y\":\"\",\"X_Ü\":\"\"}}\n```", "",
		},
		"an open block": {"```json\n{\"command\":\"npx\",\"env\":{\"X_KEY\":\"\"}}", "X_KEY!*"},
		"broken":        {"```json\n{\"command\":\"npx\",\"env\":{\"X_KEY\":\n```\n| \n|--|--|\n| |", ""},
		"nothing":       {"", ""},
	} {
		if got := shorten(Read(row.text, "x-mcp")); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

func TestInputsAreMarkedAndKeepNoValue(t *testing.T) {
	in := Read("| Variable | Default | Description |\n|---|---|---|\n| X_MODE | `fast` | How **it** \u202eworks |\n"+
		"```json\n{\"command\":\"npx\",\"env\":{\"X_TOKEN\":\"ghp_0123456789abcdefghijABCDEFGHIJ012345\"}}\n```", "x")
	for _, f := range in.Env {
		if f.From != listing.FromReadme || f.Value != "" || f.Default != "" {
			t.Errorf("got %+v", f)
		}
		if f.Name == "X_TOKEN" && f.Placeholder != "" {
			t.Errorf("the example of a token is kept: %+v", f)
		}
		if f.Name == "X_MODE" && (f.Description != "How it works" || f.Placeholder != "fast") {
			t.Errorf("got %+v", f)
		}
	}
	if len(in.Env) != 2 {
		t.Errorf("got %+v", in.Env)
	}
}

func TestArgumentsOfTheProgramAreFound(t *testing.T) {
	in := Read(
		"```json\n{\"mcpServers\":{\"fs\":{\"command\":\"npx\",\"args\":[\"-y\",\"@x/fs@latest\",\"--root=/a\",\"--mode\",\"ro\",\"--api-key\",\"KEY\",\"/path/to/dir\",\"--quiet\"]}}}\n```",
		"@x/fs",
	)
	var got []string
	for _, a := range in.Arguments {
		got = append(got, a.Name+"="+a.Placeholder)
		if a.From != listing.FromReadme || a.Value != "" || a.Named != (a.Name != "") || a.Secret != (a.Name == "--api-key") {
			t.Errorf("got %+v", a)
		}
	}
	if want := []string{"--root=/a", "--mode=ro", "--api-key=KEY", "=/path/to/dir", "--quiet="}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if other := Read("```json\n{\"command\":\"npx\",\"args\":[\"other\",\"x\"]}\n```", "@x/fs"); len(other.Arguments) != 0 {
		t.Errorf("arguments of another package: %+v", other.Arguments)
	}
}

func TestInputsAreLimited(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		b.WriteString("- `X_" + strings.Repeat("A", i+1) + "`: " + strings.Repeat("long ", 1000) + "\n")
	}
	in := Read(b.String(), "x")
	if len(in.Env) != maxInputs || len([]rune(in.Env[0].Description)) > maxDescription {
		t.Errorf("got %d inputs", len(in.Env))
	}
}

func FuzzRead(f *testing.F) {
	f.Add("```json\n{\"command\":\"npx\",\"env\":{\"X_KEY\":\"\"}}\n```\n| A | B |\n|--|--|\n| X_Y | yes |\n- `X_Z`: z", "x")
	f.Fuzz(func(t *testing.T, text, pkg string) {
		for _, field := range Read(text, pkg).Env {
			if !variable.MatchString(field.Name) {
				t.Errorf("got the name %q", field.Name)
			}
		}
	})
}
