package quarantine

import (
	"testing"
	"time"
)

func TestTheStateOfAnItemFollowsFromItsDefinition(t *testing.T) {
	a, b := HashOf(Tool, []byte(`{"name":"a"}`)), HashOf(Tool, []byte(`{"name":"a","description":"b"}`))
	approved := func(change func(*Item)) Item {
		i := Item{State: Approved, Hash: a, Approved: a, Launch: "launch", By: Scan}
		if change != nil {
			change(&i)
		}
		return i
	}
	for name, row := range map[string]struct {
		was    Item // with the latest definition and its verdict
		before Hash
		c      circumstances
		state  State
		reason Reason
		flips  int
	}{
		"first tool of a person's server": {was: Item{Hash: a}, c: circumstances{first: true}, state: Approved},
		"first tool with a note": {
			was: Item{Hash: a, Judgement: Judgement{Verdict: Note}}, c: circumstances{first: true}, state: Approved,
		},
		"first tool with a warning": {
			was: Item{Hash: a, Judgement: Judgement{Verdict: Warn}}, c: circumstances{first: true}, state: Approved,
		},
		"first tool that is blocked": {
			was: Item{Hash: a, Judgement: Judgement{Verdict: Block}}, c: circumstances{first: true}, state: Blocked, reason: Found,
		},
		"first tool of an agent's server": {
			was: Item{Hash: a}, c: circumstances{first: true, strict: true, proposed: true}, state: Pending, reason: Proposed,
		},
		"the same, quiet": {
			was: Item{Hash: a}, c: circumstances{first: true, strict: true, proposed: true, quiet: true}, state: Pending, reason: Proposed,
		},
		"first tool of an accepted agent's server": {was: Item{Hash: a}, c: circumstances{first: true, strict: true}, state: Approved},
		"the same with a warning": {
			was: Item{Hash: a, Judgement: Judgement{Verdict: Warn}}, c: circumstances{first: true, strict: true}, state: Pending,
			reason: Found,
		},
		"later tool":        {was: Item{Hash: a}, state: Pending, reason: New},
		"later tool, quiet": {was: Item{Hash: a}, c: circumstances{quiet: true}, state: Approved},
		"later tool with a warning, quiet": {
			was: Item{Hash: a, Judgement: Judgement{Verdict: Warn}}, c: circumstances{quiet: true}, state: Pending, reason: Found,
		},
		"unchanged tool": {was: approved(nil), before: a, state: Approved},
		"changed tool": {
			was: approved(func(i *Item) { i.Hash = b }), before: a, state: Altered, reason: Modified,
		},
		"changed tool, quiet": {
			was: approved(func(i *Item) { i.Hash = b }), before: a, c: circumstances{quiet: true}, state: Approved,
		},
		"changed tool with a warning, quiet": {
			was: approved(func(i *Item) { i.Hash, i.Verdict = b, Warn }), before: a, c: circumstances{quiet: true}, state: Altered,
			reason: Modified,
		},
		"changed tool that is blocked": {
			was: approved(func(i *Item) { i.Hash, i.Verdict = b, Block }), before: a, state: Blocked, reason: Found,
		},
		"tool that is as it was again": {
			was: approved(func(i *Item) { i.State, i.Reason = Altered, Modified }), before: b, state: Approved, flips: 1,
		},
		"tool approved by the scan, blocked now": {
			was: approved(func(i *Item) { i.Verdict = Block }), before: a, state: Blocked, reason: Found,
		},
		"tool in use before, blocked now": {
			was: approved(func(i *Item) { i.Verdict, i.By = Block, Existing }), before: a, state: Blocked, reason: Found,
		},
		"blocked tool that a person approved": {
			was: approved(func(i *Item) { i.Verdict, i.By = Block, Person }), before: a, state: Approved,
		},
		"rejected tool": {
			was: Item{Hash: a, Rejected: a, State: Rejected, Reason: Refused}, before: a, state: Rejected, reason: Refused,
		},
		"rejected tool, blocked": {
			was: Item{Hash: a, Rejected: a, Judgement: Judgement{Verdict: Block}}, before: a, state: Rejected, reason: Refused,
		},
		"rejected tool with another definition": {
			was: Item{Hash: b, Rejected: a, State: Rejected}, before: a, state: Pending, reason: New,
		},
		"another launch": {
			was: approved(func(i *Item) { i.Launch = "before" }), before: a, state: Pending, reason: Relaunch,
		},
		"another launch, quiet": {
			was: approved(func(i *Item) { i.Launch = "before" }), before: a, c: circumstances{quiet: true}, state: Pending,
			reason: Relaunch,
		},
		"another launch and definition": {
			was: approved(func(i *Item) { i.Launch, i.Hash = "before", b }), before: a, state: Altered, reason: Relaunch,
		},
		"another launch of what a person approved": {
			was: approved(func(i *Item) { i.Launch, i.By = "before", Person }), before: a, state: Pending, reason: Relaunch,
		},
		"former launch again": {
			was: approved(func(i *Item) { i.State, i.Reason = Pending, Relaunch }), before: a, state: Approved,
		},
		"definition of which no hash is known (new)": {was: Item{Hash: b}, c: circumstances{first: true}, state: Approved},
	} {
		row.c.launch, row.c.now = "launch", time.Unix(1, 0)
		got := decide(row.was, row.before, row.c)
		if got.State != row.state || got.Reason != row.reason || got.Flips != row.flips {
			t.Errorf("%s: %s, %q, %d flips; want %s, %q, %d", name, got.State, got.Reason, got.Flips, row.state, row.reason, row.flips)
		}
		if got.State == Approved && (got.Approved != row.was.Hash || got.Launch != "launch") {
			t.Errorf("%s: approved is %s for launch %q", name, got.Approved, got.Launch)
		}
	}
}

func TestAPersonsDecisionHoldsForOneDefinition(t *testing.T) {
	a, now := HashOf(Tool, []byte(`{"name":"a"}`)), time.Unix(1, 0)
	i := Item{
		Hash: a, Latest: []byte(`{"name":"a"}`), State: Blocked, Reason: Found, Flips: 4, Rejected: a, Judgement: Judgement{Verdict: Block},
	}
	i = approve(i, "launch", now)
	if i.Held() || i.By != Person || i.Approved != a || string(i.ApprovedText) != `{"name":"a"}` || i.Flips != 0 {
		t.Errorf("approved: %+v", i)
	}
	if i = reject(i, now); !i.Held() || i.Waits() || i.Approved != (Hash{}) || i.Rejected != a {
		t.Errorf("rejected: %+v", i)
	}
	changed := reject(Item{Hash: a, Approved: Hash{1}, By: Person, Launch: "launch"}, now)
	if changed.Approved != (Hash{1}) || changed.By != Person {
		t.Errorf("rejecting a change revoked what was approved: %+v", changed)
	}
}

func TestHashesCoverWhatModelsRead(t *testing.T) {
	const tool = `{"name":"a","title":"t","description":"d","inputSchema":{"type":"object","properties":{"x":{"type":"number","default":1.0}}},"annotations":{"readOnlyHint":true},"_meta":{"ui":{"resourceUri":"ui://a"},"time":1}}`
	same := HashOf(Tool, []byte(tool))
	for name, row := range map[string]struct {
		kind Kind
		text string
		same bool
	}{
		"order and spaces": {
			Tool,
			`{"title":"t", "name":"a","description":"d","_meta":{"time":1,"ui":{"resourceUri":"ui://a"}},"annotations":{"readOnlyHint":true},"inputSchema":{"properties":{"x":{"default":1.0,"type":"number"}},"type":"object"}}`,
			true,
		},
		"an ordinary _meta": {
			Tool,
			`{"name":"a","title":"t","description":"d","inputSchema":{"type":"object","properties":{"x":{"type":"number","default":1.0}}},"annotations":{"readOnlyHint":true},"_meta":{"ui":{"resourceUri":"ui://a"},"time":2}}`,
			true,
		},
		"the user interface": {
			Tool,
			`{"name":"a","title":"t","description":"d","inputSchema":{"type":"object","properties":{"x":{"type":"number","default":1.0}}},"annotations":{"readOnlyHint":true},"_meta":{"ui":{"resourceUri":"ui://b"},"time":1}}`,
			false,
		},
		"a default": {
			Tool,
			`{"name":"a","title":"t","description":"d","inputSchema":{"type":"object","properties":{"x":{"type":"number","default":1.5}}},"annotations":{"readOnlyHint":true},"_meta":{"ui":{"resourceUri":"ui://a"}}}`,
			false,
		},
		"an annotation": {
			Tool,
			`{"name":"a","title":"t","description":"d","inputSchema":{"type":"object","properties":{"x":{"type":"number","default":1.0}}},"annotations":{"readOnlyHint":false},"_meta":{"ui":{"resourceUri":"ui://a"}}}`,
			false,
		},
		"the kind":             {Prompt, tool, false},
		"nothing that is JSON": {Tool, `{"name":`, false},
		"an invisible character": {
			Tool,
			`{"name":"a","title":"t","description":"d\u200b","inputSchema":{"type":"object","properties":{"x":{"type":"number","default":1.0}}},"annotations":{"readOnlyHint":true},"_meta":{"ui":{"resourceUri":"ui://a"}}}`,
			false,
		},
	} {
		if got := HashOf(row.kind, []byte(row.text)) == same; got != row.same {
			t.Errorf("%s: the hash is the same: %v", name, got)
		}
	}
	parsed, err := ParseHash(same.String())
	if err != nil || parsed != same {
		t.Errorf("%s was read as %s, %v", same, parsed, err)
	}
	if HashOf(Resource, []byte(`{"uri":"a","size":1}`)) != HashOf(Resource, []byte(`{"uri":"a","size":2}`)) {
		t.Error("the size of a resource changes its hash")
	}
}
