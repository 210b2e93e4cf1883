package plan

import (
	"fmt"
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

func TestStoredSecretsAnswerTheirQuestions(t *testing.T) {
	token := listing.Field{Name: "TOKEN", Input: listing.Input{Required: true, Secret: true}}
	for name, test := range map[string]struct {
		pkg     listing.Package
		remote  listing.Remote
		stored  []string
		answers map[string][]string
		want    string // the configuration
		missing string // questions without an answer
		values  string // values to store in addition
	}{
		"a variable": {
			pkg: listing.Package{Env: []listing.Field{token}}, stored: []string{"TOKEN"},
			want: "[npx -y weather@1.0.0] map[TOKEN:${secret:TOKEN}]",
		},
		"another variable is asked for": {
			pkg:    listing.Package{Env: []listing.Field{token, {Name: "KEY", Input: listing.Input{Required: true, Secret: true}}}},
			stored: []string{"TOKEN"}, want: "[npx -y weather@1.0.0] map[TOKEN:${secret:TOKEN}]", missing: "KEY",
		},
		"another variable is answered": {
			pkg:    listing.Package{Env: []listing.Field{token, {Name: "KEY", Input: listing.Input{Required: true, Secret: true}}}},
			stored: []string{"TOKEN"}, answers: map[string][]string{"KEY": {"k"}},
			want: "[npx -y weather@1.0.0] map[KEY:${secret:KEY} TOKEN:${secret:TOKEN}]", values: "KEY=k",
		},
		"an answer takes precedence": {
			pkg: listing.Package{Env: []listing.Field{token}}, stored: []string{"TOKEN"}, answers: map[string][]string{"TOKEN": {"new"}},
			want: "[npx -y weather@1.0.0] map[TOKEN:${secret:TOKEN}]", values: "TOKEN=new",
		},
		"an optional variable can be left out": {
			pkg:    listing.Package{Env: []listing.Field{{Name: "TOKEN", Input: listing.Input{Secret: true}}}},
			stored: []string{"TOKEN"}, answers: map[string][]string{"TOKEN": {""}}, want: "[npx -y weather@1.0.0] map[]",
		},
		"a credential that the listing does not call secret": {
			pkg: listing.Package{Env: []listing.Field{{Name: "URL", Input: listing.Input{Required: true}}}}, stored: []string{"URL"},
			want: "[npx -y weather@1.0.0] map[URL:${secret:URL}]",
		},
		"a repeated argument": {
			pkg: listing.Package{Arguments: []listing.Argument{
				{Named: true, Name: "--key", Repeated: true, Input: listing.Input{Required: true, Secret: true, Format: "string"}},
			}},
			stored: []string{"argument:--key", "argument:--key:2"},
			want:   "[npx -y weather@1.0.0 --key ${secret:argument:--key} --key ${secret:argument:--key:2}] map[]",
		},
		"a variable of a header": {
			remote: listing.Remote{Type: "streamable-http", URL: "https://weather.example/mcp", Headers: []listing.Field{
				{
					Name: "Authorization", Input: listing.Input{
						Value: "Bearer {key}", Required: true, Secret: true,
					}, Variables: map[string]listing.Input{"key": {}},
				},
			}},
			stored: []string{"Authorization:key"},
			want:   "https://weather.example/mcp map[Authorization:Bearer ${secret:Authorization:key}]",
		},
		"a secret of the server that is not asked for": {
			pkg: listing.Package{}, stored: []string{"OTHER"}, want: "[npx -y weather@1.0.0] map[]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.pkg.Kind, test.pkg.Identifier, test.pkg.Version = "npm", "weather", "1.0.0"
			l := packaged(test.pkg)
			if test.remote.URL != "" {
				l.Packages, l.Remotes = nil, []listing.Remote{test.remote}
			}
			r := Request{Listing: l, Answers: test.answers, Stored: make(map[string]bool)}
			for _, name := range test.stored {
				r.Stored[name] = true
			}
			p := mustMake(t, r, here())
			got := fmt.Sprint(p.Command, " ", p.Env)
			if test.remote.URL != "" {
				got = fmt.Sprint(p.URL, " ", p.Headers)
			}
			missing, values := "", ""
			for _, q := range p.Unanswered() {
				missing += q.Name
			}
			for name, value := range p.Values() {
				values += name + "=" + value
			}
			if got != test.want || missing != test.missing || values != test.values {
				t.Errorf("got %s, missing %q, values %q", got, missing, values)
			}
			for _, s := range p.Secrets {
				if s.Stored == (p.Values()[s.Name] != "") {
					t.Errorf("%+v", s)
				}
			}
			for _, q := range p.Questions {
				if q.Stored != (len(test.answers[q.Name]) == 0 && !q.Missing) || q.Stored && !q.Secret {
					t.Errorf("%+v", q)
				}
			}
			if len(test.answers) == 0 && test.missing == "" &&
				slices.ContainsFunc(p.Questions, func(q Question) bool { return !q.Stored }) {
				t.Errorf("got %+v", p.Questions)
			}
		})
	}
}

func TestAStoredSecretAnswersTheQuestionOfABundle(t *testing.T) {
	file := open(t, weather(map[string]any{
		"command": "node", "args": []string{}, "env": map[string]string{"API_TOKEN": "${user_config.api_key}"},
	}), "server/index.js")
	r := bundled(file, nil)
	r.Stored = map[string]bool{"API_TOKEN": true}
	p := mustMake(t, r, here())
	if err := p.Check(); err != nil || p.Env["API_TOKEN"] != "${secret:API_TOKEN}" || len(p.Values()) != 0 || !p.Secrets[0].Stored {
		t.Errorf("got %v %v %v, %v", p.Env, p.Values(), p.Secrets, err)
	}
}

func TestFormerAnswersToOtherQuestionsAreIgnored(t *testing.T) {
	field := func(name string) listing.Field {
		return listing.Field{Name: name, Input: listing.Input{Required: true}}
	}
	r := Request{
		Listing: packaged(listing.Package{
			Kind: "npm", Identifier: "weather", Version: "2.0.0", Env: []listing.Field{field("CITY"), field("UNIT")},
		}),
		Former: map[string][]string{"CITY": {"Oslo"}, "UNIT": {"C"}, "GONE": {"x"}}, Answers: map[string][]string{"UNIT": {"F"}},
	}
	if p := mustMake(t, r, here()); p.Env["CITY"] != "Oslo" || p.Env["UNIT"] != "F" || p.Check() != nil {
		t.Errorf("got %v, %v", p.Env, p.Check())
	}
}
