package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// suggest returns the response to a call. If the tool does not exist or rejects
// the arguments, it adds the names of similar tools after the server's own answer,
// because a model rarely notices that it has chosen the wrong tool. It suggests no
// tool that is more dangerous than the called one, and nothing after other errors:
// another tool must not be a way around a refusal.
func (s *Session) suggest(server, tool string, result call.Result, err error) (json.RawMessage, error) {
	var rpc *jsonrpc.Error
	ours := err != nil && !errors.As(err, &rpc)
	if ours || rpc == nil && !(result.ToolError && wrongUse(result.JSON)) || rpc != nil && !misdirected(rpc) {
		return answer(result.JSON, err)
	}
	limit, key, present := dangerOfName(tool), catalog.Key{Server: server, Tool: tool}, s.rules()
	if called, ok := present.Lookup(server, tool); ok {
		limit, key = leastDanger(called), called.Key()
	}
	var near []*catalog.Tool
	if fault.CodeOf(err) == fault.CodeUnlisted {
		for _, name := range fault.DidYouMean(err) {
			if t, known := present.Lookup(server, name); known {
				near = append(near, t)
			}
		}
	} else {
		near = slices.DeleteFunc(s.gateway.near(server, tool, 3, present), func(t *catalog.Tool) bool {
			return t.Key() == key || mostDanger(t) > limit
		})
	}
	if len(near) == 0 {
		return answer(result.JSON, err)
	}
	text := "\ndid_you_mean: " + strings.Join(callAs(near), ", ") + "\nPick the closest match and call it directly — do NOT re-run find_tool."
	if rpc != nil {
		return nil, jsonrpc.ParseError(jsonrpc.Set(rpc.Raw(), "message", jsonrpc.Quote(rpc.Message+text)))
	}
	return appendText(result.JSON, text), nil
}

// Near returns the names of at most three tools of a server that a client may have meant by one that the server does not
// list: first those that differ from it in nothing that people see, then tools with similar names that are not more dangerous
// than the name sounds.
func (g *Gateway) Near(client, server, tool string) (names []string) {
	const most = 3
	present := g.rulesFor(client)
	findable := g.findable(present)
	near := slices.DeleteFunc(present.Alike(server, tool), func(t *catalog.Tool) bool { return !findable(t) })
	for _, t := range g.near(server, tool, most, present) {
		if mostDanger(t) <= dangerOfName(tool) && !slices.Contains(near, t) {
			near = append(near, t)
		}
	}
	for _, t := range near[:min(len(near), most)] {
		names = append(names, t.Name)
	}
	return names
}

// misdirected reports whether an error means that the model called the wrong tool
// or with wrong arguments. Errors with other codes are passed on unchanged, because
// the codes may have a special meaning for the client.
func misdirected(rpc *jsonrpc.Error) bool {
	switch rpc.Code {
	case jsonrpc.CodeInvalidParams, jsonrpc.CodeMethodNotFound:
		return true
	}
	return rpc.Code == jsonrpc.CodeInternalError && wrongUseText.MatchString(rpc.Message)
}

// wrongUseText matches what servers write about unknown tools and wrong arguments.
var wrongUseText = regexp.MustCompile(`(?i)MCP error -3260[12]\b|\b(unknown|no such|unrecogni[sz]ed|nonexistent) tool\b|\btool\b.{0,100}\b(not found|does not exist|doesn't exist|is not (known|registered|available))|` +
	`\b(invalid|unknown|unexpected|unrecogni[sz]ed|missing)( required)? (arguments?|params?|parameters?|keys?|propert(y|ies)|fields?)\b|\b(input|argument|arguments|schema|parameter) validation\b|\bvalidation errors? (for|in)\b|` +
	`\brequired (property|argument|parameter|field)\b|\b(property|argument|parameter|field)\b.{0,60}\b(is )?required\b`)

// refusalText matches refusals, which are never a matter of the arguments.
var refusalText = regexp.MustCompile(`(?i)\b(access|permission)s? (is |was )?denied|\bdenied\b|\bforbidden\b|\bnot (allowed|permitted|authori[sz]ed)\b|\bunauthori[sz]ed\b|\bEACCES\b|\bEPERM\b|\boutside (of )?(the )?allowed\b|\b40[13]\b`)

// wrongUse reports whether the text of a result that is an error speaks of an
// unknown tool or wrong arguments.
func wrongUse(result json.RawMessage) bool {
	for block := range jsonrpc.Items(jsonrpc.Get(result, "content")) {
		text := jsonrpc.GetString(block, "text")
		text = text[:min(len(text), 2000)]
		if refusalText.MatchString(text) {
			return false
		}
		if wrongUseText.MatchString(text) {
			return true
		}
	}
	return false
}

// appendText adds a text block to a result. All other bytes stay as they are.
func appendText(result json.RawMessage, text string) json.RawMessage {
	block, _ := encode(map[string]string{"type": "text", "text": text})
	content := bytes.TrimSpace(jsonrpc.Get(result, "content"))
	if len(content) < 2 || content[0] != '[' {
		return result
	}
	body := bytes.TrimSpace(content[1 : len(content)-1])
	joined := append([]byte("["), body...)
	if len(body) > 0 {
		joined = append(joined, ',')
	}
	joined = append(append(joined, block...), ']')
	return jsonrpc.Set(result, "content", joined)
}

// danger is what a tool may do at worst.
type danger int

const (
	reads danger = iota
	writes
	destroys
)

var (
	readingVerbs = strings.Fields("analyze browse calculate check compare compute count describe diff display download echo enumerate exists explain export " +
		"fetch find get has head info inspect is list log look lookup ls peek ping preview print query read recall resolve retrieve screenshot search show " +
		"stat stats status summarize tail test validate verify view watch whoami")
	destroyingVerbs = strings.Fields("ban cancel clean clear delete destroy discard drop erase exec execute flush force format kill merge overwrite pay purge " +
		"push refund remove replace reset restore revert revoke rm rollback run shell shutdown stop terminate transfer truncate uninstall unlink wipe")
)

// dangerOfName guesses the danger of a tool from the words of its name: the worst
// one counts, and a name without a known verb may write.
func dangerOfName(name string) danger {
	words := nameWords(name)
	is := func(verbs []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(verbs, word) })
	}
	switch {
	case is(destroyingVerbs):
		return destroys
	case is(readingVerbs) && !is([]string{"set", "write", "update", "create", "add", "edit", "insert", "send", "post", "put", "move"}):
		return reads
	}
	return writes
}

// nameWords splits a name such as get_userName into lower-case words.
func nameWords(name string) []string {
	var split strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			split.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		split.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(split.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}

// dangerOfHints returns the danger that a tool's annotations declare; ok is false
// if they declare none.
func dangerOfHints(t *catalog.Tool) (d danger, ok bool) {
	hints := jsonrpc.Get(t.Definition, "annotations")
	switch {
	case string(jsonrpc.Get(hints, "readOnlyHint")) == "true":
		return reads, true
	case string(jsonrpc.Get(hints, "destructiveHint")) == "true":
		return destroys, true
	case string(jsonrpc.Get(hints, "destructiveHint")) == "false":
		return writes, true
	}
	return writes, false
}

// mostDanger returns the worse of what a tool's name and annotations say, since
// annotations need not be true.
func mostDanger(t *catalog.Tool) danger {
	d := dangerOfName(t.Name)
	if hinted, ok := dangerOfHints(t); ok {
		d = max(d, hinted)
	}
	return d
}

// Destroys reports whether a tool's name or annotations say that it may destroy something.
func Destroys(t *catalog.Tool) bool { return mostDanger(t) == destroys }

// leastDanger returns the better of what a tool's name and annotations say.
func leastDanger(t *catalog.Tool) danger {
	d := dangerOfName(t.Name)
	if hinted, ok := dangerOfHints(t); ok {
		d = min(d, hinted)
	}
	return d
}
