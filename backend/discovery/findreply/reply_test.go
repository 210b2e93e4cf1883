package findreply

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
)

// tool returns a tool whose arguments are all required. Each of them has the
// description in argument.
func tool(t *testing.T, name, description, argument string, arguments ...string) *catalog.Tool {
	t.Helper()
	properties := make(map[string]any)
	for _, a := range arguments {
		properties[a] = map[string]string{"type": "string", "description": argument}
	}
	definition, err := json.Marshal(map[string]any{
		"name": name, "description": description,
		"inputSchema": map[string]any{"properties": properties, "required": arguments},
	})
	if err != nil {
		t.Fatal(err)
	}
	made, ok := catalog.NewTool("srv", definition)
	if !ok {
		t.Fatal(name)
	}
	return made
}

// ranked returns a result with these tools, the best first.
func ranked(c search.Confidence, tools ...*catalog.Tool) search.Result {
	result := search.Result{Found: true, Confidence: c, TopScore: 0.5}
	for i, t := range tools {
		result.Hits = append(result.Hits, search.Hit{Tool: t, Score: 0.5 - 0.01*float64(i)})
	}
	return result
}

// others returns n tools with a description.
func others(t *testing.T, n int, description string) []*catalog.Tool {
	t.Helper()
	var out []*catalog.Tool
	for i := range n {
		out = append(out, tool(t, fmt.Sprintf("other_tool_%d", i), description, ""))
	}
	return out
}

// text returns a reply as an agent receives it.
func text(t *testing.T, reply any) string {
	t.Helper()
	out, err := Text(reply)
	if err != nil || !utf8.ValidString(out) || strings.Contains(out, "\n") {
		t.Fatalf("%v: %s", err, out)
	}
	return out
}

// plain returns the options of a session that lists no tools and has been shown
// none.
func plain(maxOthers int) Options {
	return Options{
		MaxOthers: maxOthers, Listed: func(*catalog.Tool) bool { return false }, Shown: func(*catalog.Tool) Shown { return NotShown },
	}
}

func TestAReplyWithinItsBudgetIsNotCut(t *testing.T) {
	best := tool(t, "send_mail", "Sends a <b>. To one address.", "whom to", "to")
	got := text(t, ForQuery(ranked(search.High, best, others(t, 1, "Says more. Much more.")[0]), plain(DefaultOthers)))
	want := `{"found":true,"confidence":"high","score":0.5,"call_as":"mcp__srv__send_mail","server":"srv","tool":"send_mail",` +
		`"description":"Sends a <b>. To one address.","required_args":[{"name":"to","type":"string","description":"whom to"}],` +
		`"optional_count":0,"next_step":"invoke call_as directly: by registry proxy_call",` +
		`"other_matches":[{"call_as":"mcp__srv__other_tool_0","tool":"other_tool_0","description":"Says more.","score":0.49}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got = text(t, ForIntent("mail it", ranked(search.Low, best), plain(MaxBatchOthers)))
	want = `{"intent":"mail it","found":true,"confidence":"low","score":0.5,"call_as":"mcp__srv__send_mail","tool":"send_mail",` +
		`"description":"Sends a <b>. To one address.","required_args":[{"name":"to","type":"string","description":"whom to"}],` +
		`"optional_count":0,"other_matches":[]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTextsAreCutInOrderOfImportance(t *testing.T) {
	seen := make(map[string]bool)
	for _, arguments := range []int{1, 6, 9} {
		for length := range 40 {
			var names []string
			for i := range arguments {
				names = append(names, fmt.Sprintf("argument_%d", i))
			}
			best := tool(t, "do_it", "Does it. "+strings.Repeat("word ", 2*length), "the place", names...)
			tools := append([]*catalog.Tool{best}, others(t, 3, "Says what it is good for in a sentence.")...)
			got := ForQuery(ranked(search.Medium, tools...), plain(DefaultOthers))
			if n := tokens.Count(text(t, got)); n > budget {
				t.Errorf("a description of %d words gives a reply of %d tokens, want at most %d", length, n, budget)
			}
			cut := []bool{
				got.OtherMatches[0].Description == "",
				got.Text != best.Description, got.RequiredArgs[0].Description == "", len(got.OtherMatches) < 3,
			}
			seen[fmt.Sprint(cut)] = true
			for _, m := range got.OtherMatches {
				if m.Tool == "" {
					t.Errorf("%d words, %d arguments: the name of %s is cut", length, arguments, m.CallAs)
				}
			}
			if len(got.Tools()) != 1+len(got.OtherMatches) {
				t.Errorf("the reply has %d tools, but Tools returns %d", 1+len(got.OtherMatches), len(got.Tools()))
			}
			for i := 1; i < len(cut); i++ {
				if long := i != 2 || len(best.Description) > maxSummary; cut[i] && !cut[i-1] && long { // a short description cannot be cut
					t.Errorf("%d words, %d arguments: the cuts are %v", length, arguments, cut)
				}
			}
		}
	}
	if len(seen) < 4 {
		t.Errorf("only the cuts %v occur", seen)
	}
}

func TestRepliesStaySmallForHostileTools(t *testing.T) {
	const noise = 700 // tokens for text that real servers do not contain
	for name, row := range map[string]struct {
		unit    string
		one, of int
	}{
		"words":    {"creates the thing ", budget, 120},
		"lines":    {"a thing\n", budget, 125},
		"Chinese":  {"在存储库中创建", budget, 120},
		"emoji":    {"👩‍👩‍👧‍👦🦄", budget, 120},
		"nonsense": {"abcdefgh ", noise, noise}, "no spaces": {"Xq7", noise, noise}, "rare": {"龘鱻麤", noise, noise},
		"quotes": {`\"`, noise, noise}, "zero": {"\x00", noise, noise}, "invalid UTF-8": {"\xff\xfe", noise, noise},
	} {
		huge := strings.Repeat(row.unit, 100<<10/len(row.unit))
		tools := append([]*catalog.Tool{tool(t, "do_it", huge, huge, "a", "b")}, others(t, 4, huge)...)
		for _, confidence := range []search.Confidence{search.High, search.Low} {
			if n := tokens.Count(text(t, ForQuery(ranked(confidence, tools...), plain(DefaultOthers)))); n > row.one {
				t.Errorf("%s: the find_tool reply has %d tokens, want at most %d", name, n, row.one)
			}
		}
		if n := tokens.Count(text(t, ForIntent(huge, ranked(search.Low, tools...), plain(MaxBatchOthers)))); n > row.of {
			t.Errorf("%s: the find_tools entry has %d tokens, want at most %d", name, n, row.of)
		}
		if n := tokens.Count(text(t, NoMatchForIntent(huge, search.Result{}, tools, Known{}))); n > noise {
			t.Errorf("%s: the reply without a match has %d tokens, want at most %d", name, n, noise)
		}
	}
}

func TestNamesThatACallNeedsAreNeverCut(t *testing.T) {
	var arguments []string
	for i := range 300 {
		arguments = append(arguments, fmt.Sprintf("argument_%d", i))
	}
	long := strings.Repeat("n", 2000)
	for name, best := range map[string]*catalog.Tool{
		"many arguments": tool(t, "many", strings.Repeat("words ", 900), "what it is", arguments...),
		"a long name":    tool(t, long, "Has a name.", "what it is", long),
	} {
		for _, got := range []*Found{
			ForQuery(ranked(search.Low, append([]*catalog.Tool{best}, others(t, 4, "Other.")...)...), plain(DefaultOthers)),
			ForIntent("x", ranked(search.Low, best), plain(MaxBatchOthers)),
		} {
			reply := text(t, got)
			required, _ := requiredArguments(best)
			for _, a := range required {
				if !strings.Contains(reply, `{"name":"`+a.Name+`","type":"string"}`) {
					t.Fatalf("%s: the argument %.50s is missing in %.500s", name, a.Name, reply)
				}
			}
			if got.CallAs != best.CallAs() || got.Intent == nil && len(got.OtherMatches) == 0 {
				t.Errorf("%s: got %.500s", name, reply)
			}
		}
	}
	if got := ForQuery(ranked(search.Low, others(t, 1, "x")[0], tool(t, long, "x", "")),
		plain(DefaultOthers)); len(got.OtherMatches) != 0 || len(got.Tools()) != 1 {
		t.Errorf("another match has a name of %d letters", len(long))
	}
}

func TestAnEmptyIntentIsRepeated(t *testing.T) {
	for _, reply := range []any{
		ForIntent("", ranked(search.Low, others(t, 1, "x")...), plain(0)), NoMatchForIntent("", search.Result{}, nil, Known{}),
	} {
		if got := text(t, reply); !strings.HasPrefix(got, `{"intent":"",`) {
			t.Errorf("got %s", got)
		}
	}
	if got := text(t, NoMatch("", search.Result{}, nil, Known{})); strings.Contains(got, "intent") {
		t.Errorf("got %s", got)
	}
}

func TestRequestedMatchesAreKept(t *testing.T) {
	tools := others(t, 30, strings.Repeat("Says a lot of what it is good for ", 20))
	o := plain(29)
	o.KeepOthers = true
	got := ForQuery(ranked(search.Low, tools...), o)
	if n := tokens.Count(text(t, got)); len(got.OtherMatches) != 29 || len(got.Tools()) != 30 || n > budget+25*moreBudget {
		t.Errorf("got %d other matches in %d tokens", len(got.OtherMatches), n)
	}
}

func TestRequestedMatchesAreKeptBeyondTheBudget(t *testing.T) {
	arguments := strings.Fields(strings.Repeat("a_long_name_of_an_argument ", 30))
	tools := append([]*catalog.Tool{tool(t, "do_it", "Does it.", "what it is", arguments...)}, others(t, 4, "Other.")...)
	o := plain(DefaultOthers)
	few := ForQuery(ranked(search.Medium, tools...), o)
	o.KeepOthers = true
	if all := ForQuery(ranked(search.Medium, tools...), o); len(all.OtherMatches) != 4 || len(few.OtherMatches) != 1 {
		t.Errorf("got %d other matches with KeepOthers and %d without, want 4 and 1", len(all.OtherMatches), len(few.OtherMatches))
	}
}

func TestHighConfidenceKeepsFewerMatchesAndMoreDescription(t *testing.T) {
	tools := append([]*catalog.Tool{tool(t, "do_it", "Does it. "+strings.Repeat("one word ", 70), "")}, others(t, 4, "Other.")...)
	high, medium := ForQuery(ranked(search.High, tools...), plain(DefaultOthers)), ForQuery(ranked(search.Medium, tools...),
		plain(DefaultOthers))
	if len(high.OtherMatches) != 2 || len(medium.OtherMatches) != 4 || len(high.Text) <= len(medium.Text) {
		t.Errorf("high: %d others, %s\nmedium: %d others, %s", len(high.OtherMatches), high.Text, len(medium.OtherMatches), medium.Text)
	}
}

func TestLongTextsEndAfterASentenceOrWord(t *testing.T) {
	short := strings.Repeat("One sentence. ", 40)
	for _, row := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 5, "short"},
		{"A sentence. Another one", 15, "A sentence."},
		{"some words, and more", 12, "some words…"},
		{"aaaaaaaaaaaa", 5, "aaaaa…"},
		{"在存储库", 7, "在存…"},
	} {
		if got := atSentence(row.text, row.limit); got != row.want {
			t.Errorf("%q at %d: %q, want %q", row.text, row.limit, got, row.want)
		}
	}
	for description, want := range map[string]string{
		"Reads it. " +
			short: "Reads it. One sentence. One sentence. One sentence. One sentence. One sentence. One sentence. One sentence.",
		"Reads a whole file of text. " + short: "Reads a whole file of text.",
		"Use: 1. open it, 2. read it " +
			short: "Use: 1. open it, 2. read it One sentence. One sentence. One sentence. One sentence. One sentence. One sentence.",
		strings.Repeat("在存储库", 70):                     strings.Repeat("在存储库", 20) + "在存储…",
		"In English. And " + strings.Repeat("界", 5000): "In English. And " + strings.Repeat("界", 34) + "…",
	} {
		f := found(ranked(search.Low, tool(t, "read", description, strings.Repeat("x", 300), "a")), plain(0))
		if n := len(f.RequiredArgs[0].Description); n > maxArgument+len("…") {
			t.Errorf("the description of an argument has %d bytes", n)
		}
		if f.clipText(250); len(f.Text) > 250+len("…") {
			t.Errorf("the text has %d bytes after clipText(250)", len(f.Text))
		}
		if f.summarize(); f.Text != want {
			t.Errorf("got  %s\nwant %s", f.Text, want)
		}
	}
}

func TestTheNextStepOmitsLongNames(t *testing.T) {
	o := plain(DefaultOthers)
	o.Listed = func(*catalog.Tool) bool { return true }
	for name, want := range map[string]string{
		"do": "as srv__do if listed", strings.Repeat("name_of_it_", 40): "directly: without mcp__ if listed",
	} {
		if got := ForQuery(ranked(search.High, tool(t, name, "Does it.", "")), o); !strings.Contains(got.NextStep, want) {
			t.Errorf("got %q, want it to contain %q", got.NextStep, want)
		}
	}
}

func TestDescriptionsAreShownOncePerSession(t *testing.T) {
	tools := append([]*catalog.Tool{tool(t, "send_mail", "Sends a mail.", "whom to", "to")}, others(t, 2, "Other.")...)
	o := plain(DefaultOthers)
	o.Shown = func(x *catalog.Tool) Shown {
		return map[string]Shown{"send_mail": DescriptionShown, "other_tool_0": NameShown}[x.Name]
	}
	got := text(t, ForQuery(ranked(search.High, tools...), o))
	want := `{"found":true,"confidence":"high","score":0.5,"call_as":"mcp__srv__send_mail","told":true,` +
		`"next_step":"invoke call_as directly: by registry proxy_call",` +
		`"other_matches":[{"call_as":"mcp__srv__other_tool_0"},{"call_as":"mcp__srv__other_tool_1","tool":"other_tool_1","description":"Other.","score":0.48}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	o.Shown = func(*catalog.Tool) Shown { return NameShown }
	if got := text(t, ForQuery(ranked(search.High, tools...), o)); !strings.Contains(got, "Sends a mail.") ||
		strings.Contains(got, `"told"`) {
		t.Errorf("after only the name was shown: got %s", got)
	}
}

func TestTheNextStepFitsTheSession(t *testing.T) {
	caller := func(t *catalog.Tool) string {
		if t == nil {
			return "any"
		}
		return "call_read"
	}
	for want, n := range map[string]struct {
		next   nextStep
		others int
	}{
		"invoke call_as directly: as s__t if listed, else by registry proxy_call": {
			nextStep{confidence: search.High, listed: "s__t"}, 4,
		},
		"invoke call_as directly: without mcp__ if listed, else by registry proxy_call": {
			nextStep{confidence: search.High, listed: "s__t", omitName: true}, 0,
		},
		"invoke call_as directly: by registry proxy_call": {
			nextStep{confidence: search.High, omitName: true}, 0,
		},
		"check other_matches; pick one and invoke (without re-searching): without mcp__ if listed, else by registry proxy_call": {
			nextStep{confidence: search.Medium, listed: "s__t"}, 1,
		},
		"check other_matches; pick one and invoke (without re-searching): by registry proxy_call": {
			nextStep{confidence: search.Medium}, 1,
		},
		"invoke call_as directly if it fits: as s__t if listed, else by registry proxy_call": {
			nextStep{confidence: search.Medium, listed: "s__t"}, 0,
		},
		"ambiguous — ask the user to disambiguate or pick from other_matches; then invoke it by registry proxy_call": {
			nextStep{confidence: search.Low}, 1,
		},
		"ambiguous — ask the user to disambiguate; then invoke it as s__t if listed, else by registry proxy_call": {
			nextStep{confidence: search.Low, listed: "s__t"}, 0,
		},
		"invoke call_as directly: by call_read": {
			nextStep{confidence: search.High, caller: caller, best: &catalog.Tool{}}, 4,
		},
		"invoke call_as directly: without mcp__ if listed, else by call_read": {
			nextStep{confidence: search.High, listed: "s__t", omitName: true, caller: caller, best: &catalog.Tool{}}, 4,
		},
		"check other_matches; pick one and invoke (without re-searching): without mcp__ if listed, else by any": {
			nextStep{confidence: search.Medium, listed: "s__t", caller: caller, best: &catalog.Tool{}}, 4,
		},
		"": {nextStep{}, 4},
	} {
		if got := n.next.text(n.others); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestMisspelledNamesAreSuggested(t *testing.T) {
	var tools []*catalog.Tool
	for _, name := range []string{"create_issue", "list-issues", "create_issues", "createIssue", "create_isue_2", "read_file"} {
		tools = append(tools, tool(t, name, "Does it.", ""))
	}
	for query, want := range map[string]string{
		"creat_isue":                       "[create_issue create_issues createIssue]",
		"mcp__srv__creat_isue":             "[create_issue create_issues createIssue]",
		"Craete Issue":                     "[create_issue create_issues createIssue]",
		"lsit issues":                      "[list-issues]",
		"a":                                "[]",
		"":                                 "[]",
		"knit":                             "[]",
		"create issue a b c":               "[]", // a sentence
		strings.Repeat("create_issue", 30): "[]",
	} {
		got := NoMatch(query, search.Result{TopScore: 0.1}, tools, Known{})
		for i := range got.DidYouMean {
			got.DidYouMean[i] = strings.TrimPrefix(got.DidYouMean[i], "mcp__srv__")
		}
		if fmt.Sprint(got.DidYouMean) != want || got.Matches == nil || len(got.Matches) != 0 {
			t.Errorf("%s: got %v, want %s", query, got.DidYouMean, want)
		}
	}
}

func TestRequiredArgumentsAreReadFromAnySchema(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"a":{"type":"string","description":"the a"},"b":{}},"required":["a"]}`: "[{a string the a}] 1",
		`{"properties":{"a":{"type":["null","integer"]}},"required":["a"]}`:                    "[{a null|integer }] 0",
		`{"required":["ghost"]}`:                           "[{ghost any }] 0",
		`{"properties":{"a":true,"b":7},"required":["a"]}`: "[{a any }] 1",
		`"odd"`: "[] 0",
		`{}`:    "[] 0",
	} {
		tool, _ := catalog.NewTool("s", json.RawMessage(`{"name":"t","inputSchema":`+schema+`}`))
		required, optional := requiredArguments(tool)
		if got := fmt.Sprint(required, optional); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}

func TestReplyWithoutAMatchShowsTheClosestTools(t *testing.T) {
	tools := []*catalog.Tool{
		tool(t, "tide", "Height of the tide", ""), tool(t, strings.Repeat("long", 60), "Too long a name", ""),
		tool(t, "harbour", "Opening hours of a harbour", ""),
	}
	result := search.Result{TopScore: 0.1234, Closest: ranked(search.Low, tools...).Hits}
	got := text(t, NoMatch("knit a jumper", result, nil, Known{}))
	for _, want := range []string{
		`{"found":false,"matches":[],"top_score":0.123,`,
		`"closest":[{"call_as":"mcp__srv__tide","tool":"tide","description":"Height of the tide","score":`,
		`{"call_as":"mcp__srv__harbour"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
	if strings.Contains(got, "long") {
		t.Errorf("the reply contains a name that no client accepts: %s", got)
	}
	if got := text(t, NoMatchForIntent("knit", result, nil, Known{})); !strings.Contains(got,
		`"closest":[{"call_as":"mcp__srv__tide"},{"call_as":"mcp__srv__harbour"}]`) {
		t.Errorf("an intent without a match gives %s", got)
	}
}
