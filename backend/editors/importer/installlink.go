package importer

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
)

var (
	// linkScheme matches a URL with any scheme, but not the drive of a Windows path.
	linkScheme = lazyregexp.New(`^([a-z][a-z0-9+.-]+):(//|mcp/|[a-z][a-z-]*/)\S*$`)
	// installPath matches the paths of web pages that open an install link.
	installPath = lazyregexp.New(`(^|/)(install-mcp|mcp/install|mcp/add|mcp-install|add-mcp|mcp-import|deeplink|redirect|add_mcp)(/|$)`)
	// markdownLink matches a line that is a link in Markdown, which may contain
	// a badge.
	markdownLink = lazyregexp.New(`^\[(?:!\[[^\]]*\]\([^)]*\)|[^\]])*\]\((\S+)\)$`)
)

// installLink reads a link that installs a server into an editor: Cursor, VS Code, Kiro, LM Studio, Goose, or another
// editor whose links contain the entry or the command of the server. The second result reports whether line is such a
// link.
func installLink(line string) (entries []textEntry, is bool, err error) {
	if at := markdownLink.FindStringSubmatch(line); at != nil {
		line = at[1]
	}
	scheme := linkScheme.FindStringSubmatch(line)
	if scheme == nil {
		return nil, false, nil
	}
	before, query, _ := strings.Cut(line, "?")
	query, _, _ = strings.Cut(query, "#")
	web := scheme[1] == "http" || scheme[1] == "https"
	if web && (query == "" || !installPath.MatchString(strings.TrimRight(before, "/"))) {
		return nil, false, nil
	}
	values := parameters(query)
	if inner := values.Get("url"); linkScheme.MatchString(inner) && !address.MatchString(inner) { // a page that only redirects
		if _, rest, found := strings.Cut(query, "url="); found && !strings.Contains(rest, "%3F") && strings.Contains(rest, "?") {
			inner = rest // the link was not escaped in the page's address
		}
		return installLink(inner)
	}
	if entry := commandInLink(values, scheme[1]); entry != nil {
		return []textEntry{understand(*entry)}, true, nil
	}
	for _, text := range append([]string{
		values.Get("config"), values.Get("servers"), values.Get("mcp"), values.Get("server"), values.Get("mcpServers"),
	}, query) {
		found := entriesInLink(text)
		for n := range found {
			if name := values.Get("name"); name != "" && len(found) == 1 && found[n].Name == "" {
				found[n].Name = name
			}
		}
		if len(found) > 0 {
			return found, true, nil
		}
	}
	if web {
		return nil, false, nil // the link may be the URL of a server
	}
	return nil, true, fault.New(fault.Invalid,
		"the link (%s:) contains no server; paste the configuration, the command or the URL of the server instead", scheme[1])
}

// parameters parses a query. Unlike url.ParseQuery, it keeps plus signs, which base64 contains.
func parameters(query string) url.Values {
	values := make(url.Values)
	for pair := range strings.SplitSeq(query, "&") {
		name, value, found := strings.Cut(pair, "=")
		plain, err := url.PathUnescape(value)
		if found && err == nil {
			values[name] = append(values[name], plain)
		}
	}
	return values
}

// commandInLink reads a link of Goose, which contains the command, arguments and
// variables as parameters, or a link with the URL of a server.
func commandInLink(values url.Values, scheme string) *rawEntry {
	at, program := values.Get("url"), cmp.Or(values.Get("cmd"), values.Get("command"))
	if program == "" && (at == "" || scheme == "http" || scheme == "https") {
		return nil
	}
	entry := map[string]any{"type": cmp.Or(values.Get("type"), values.Get("transport"))}
	if program != "" {
		entry["command"], entry["type"] = program, "stdio"
		args := []any{}
		for _, arg := range slices.Concat(values["arg"], values["args"]) {
			args = append(args, arg)
		}
		entry["args"] = args
	} else {
		entry["url"] = at
		entry["headers"] = assigned(slices.Concat(values["header"], values["headers"]), "=")
	}
	entry["env"] = assigned(values["env"], "=")
	name := cmp.Or(values.Get("id"), values.Get("name"))
	return &rawEntry{strings.ReplaceAll(name, " ", "-"), entry}
}

func assigned(pairs []string, sign string) map[string]any {
	all := make(map[string]any)
	for _, pair := range pairs {
		if name, value, found := strings.Cut(pair, sign); found {
			all[name] = value
		}
	}
	return all
}

// entriesInLink reads a configuration in JSON, which may be encoded in base64 or
// escaped once more.
func entriesInLink(text string) []textEntry {
	for range 3 {
		if strings.HasPrefix(strings.TrimSpace(text), "{") {
			value, err := parse(`{"`+whole+`":`+text+"\n}", "json")
			if err != nil {
				return nil
			}
			return entriesOf(member(value, whole), finder{})
		}
		plain, err := url.PathUnescape(text)
		if err == nil && plain != text {
			text = plain
			continue
		}
		if text = decoded(text); text == "" {
			return nil
		}
	}
	return nil
}

// decoded decodes base64 in any of its alphabets; "" if text is not base64.
func decoded(text string) string {
	text = strings.TrimRight(strings.NewReplacer(" ", "+", "-", "+", "_", "/").Replace(text), "=")
	plain, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || !utf8.Valid(plain) {
		return ""
	}
	return string(plain)
}
