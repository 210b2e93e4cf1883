package plan

import (
	"fmt"
	"testing"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

func TestSecretsThatAreEnteredLaterNeedNoAnswers(t *testing.T) {
	l := packaged(listing.Package{Kind: "npm", Identifier: "weather", Version: "1.0.0", Env: []listing.Field{
		{Name: "TOKEN", Input: listing.Input{Required: true, Secret: true}},
		{Name: "API_KEY", Input: listing.Input{Required: true}}, // secret because of its name
		{Name: "OPTIONAL", Input: listing.Input{Secret: true}},
		{Name: "CITY", Input: listing.Input{Required: true}},
	}})
	p := mustMake(t, Request{Listing: l, SecretsLater: true}, here())
	if missing := p.Unanswered(); len(missing) != 1 || missing[0].Name != "CITY" || missing[0].Later {
		t.Errorf("missing: %+v", missing)
	}
	for i, later := range []bool{true, true, false, false} {
		if q := p.Questions[i]; q.Later != later || q.Stored {
			t.Errorf("got %+v", q)
		}
	}
	p = mustMake(t, Request{Listing: l, SecretsLater: true, Answers: map[string][]string{"CITY": {"Rome"}}}, here())
	if err := p.Check(); err != nil || fmt.Sprint(p.Env) != "map[API_KEY:${secret:API_KEY} CITY:Rome TOKEN:${secret:TOKEN}]" ||
		len(p.Values()) != 0 || len(p.Secrets) != 2 {
		t.Errorf("got %v %v %v, %v", p.Env, p.Values(), p.Secrets, err)
	}
}

func TestASecretOfABundleCanBeEnteredLater(t *testing.T) {
	file := open(t, weather(map[string]any{
		"command": "node", "args": []string{}, "env": map[string]string{"API_TOKEN": "${user_config.api_key}"},
	}), "server/index.js")
	r := bundled(file, nil)
	r.SecretsLater = true
	p := mustMake(t, r, here())
	if err := p.Check(); err != nil || p.Env["API_TOKEN"] != "${secret:API_TOKEN}" || len(p.Values()) != 0 || !p.Questions[0].Later {
		t.Errorf("got %v %v %+v, %v", p.Env, p.Values(), p.Questions, err)
	}
}
