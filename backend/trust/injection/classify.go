package injection

import (
	"strings"
	"unicode/utf8"
)

// classify adds the tokens of a part of the text that contains no white space:
// a URL, an address, a path, the name of a tool or property, or words.
func (r *reader) classify(start, end int) {
	text := r.text[start:end]
	c := &r.classes
	switch {
	case strings.EqualFold(text, "e.g"), strings.EqualFold(text, "i.e"):
		r.add(start, end, r.lex.lookup(text), mask{})
	case strings.Contains(text, "://"):
		classes := c.url
		if secretPath(text) {
			classes.add(c.secretPath)
		}
		r.add(start, end, 0, classes)
	case mailAddress(text):
		r.add(start, end, 0, c.mail)
	case ipAddress(text):
		r.add(start, end, 0, c.ip)
	case secretPath(text):
		classes := c.secretPath
		classes.add(c.path)
		if startupFile(text) {
			classes.add(c.startup)
		}
		r.add(start, end, 0, classes)
	case path(text):
		r.add(start, end, 0, c.path)
	case hostName(text):
		r.add(start, end, 0, c.host)
	case strings.HasPrefix(text, "--") && len(text) > 2:
		r.add(start, end, 0, c.ident)
	default:
		r.name(start, end)
	}
}

// name adds the name of a tool or property, or the words of a text that is neither.
func (r *reader) name(start, end int) {
	text := strings.TrimSuffix(r.text[start:end], "()")
	code := start < r.code || start < r.quote && r.quote == end
	if known := r.known(text, code || joined(text)); known != (mask{}) {
		r.add(start, end, r.lex.lookup(text), known)
		return
	}
	if i := strings.LastIndexAny(text, ".:/"); i > 0 && i+1 < len(text) { // server.tool
		if known := r.known(text[i+1:], joined(text[i+1:])); known != (mask{}) {
			r.add(start, end, 0, known)
			return
		}
	}
	switch {
	case identifier(text), code && joined(text):
		r.add(start, end, 0, r.classes.ident)
	case r.sentenceWithin(start, end):
	default:
		r.words(start, end)
	}
}

// sentenceWithin adds the words around a full stop without a space after it, as two
// sentences. It returns false if the text has no such full stop.
func (r *reader) sentenceWithin(start, end int) bool {
	text := r.text[start:end]
	i := strings.IndexByte(text, '.')
	if i < 2 || i+1 >= len(text) || start < r.code || !(text[i-1] >= 'a' && text[i-1] <= 'z') || !(text[i+1] >= 'A' && text[i+1] <= 'Z') {
		return false
	}
	r.words(start, start+i)
	r.stop()
	r.words(start+i+1, end)
	return true
}

// known returns the class of a name that r.names contains. Because ordinary words may
// be names, too, it returns no class if the caller is not certain that the text is a
// name.
func (r *reader) known(name string, certain bool) mask {
	if !certain {
		return mask{}
	}
	switch r.names.of(name) {
	case Own:
		return r.classes.own
	case Sibling:
		return r.classes.sibling
	case Foreign:
		return r.classes.foreign
	case Property:
		return r.classes.property
	}
	return mask{}
}

// joined reports whether a name has several parts.
func joined(s string) bool { return strings.ContainsAny(s, "_-") || camel(s) }

// identifier reports whether a text is written like an identifier in a program:
// snake_case or camelCase.
func identifier(s string) bool {
	for i := range len(s) {
		if !alnum(s[i]) && s[i] != '_' && s[i] != '-' && s[i] != '.' {
			return false
		}
	}
	if i := strings.IndexByte(s, '_'); i > 0 && i+1 < len(s) {
		return true
	}
	return camel(s)
}

func camel(s string) bool {
	for i := 1; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			return s != "GitHub" && s != "GitLab" && s != "JavaScript" && s != "TypeScript"
		}
	}
	return false
}

func mailAddress(s string) bool {
	s = strings.TrimPrefix(s, "mailto:")
	at := strings.IndexByte(s, '@')
	if at < 1 || at+3 > len(s) || !strings.Contains(s[at:], ".") || strings.ContainsAny(s, "/:") {
		return false
	}
	return alnum(s[at+1]) && alnum(s[len(s)-1])
}

func ipAddress(s string) bool {
	s, _, _ = strings.Cut(s, ":")
	s, _, _ = strings.Cut(s, "/")
	dots := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.':
			dots++
		case c < '0' || c > '9':
			return false
		}
	}
	return dots == 3 && len(s) >= 7 && s != "0.0.0.0" && s != "127.0.0.1"
}

// path reports whether a text is the path of a file or folder.
func path(s string) bool {
	if len(s) < 2 {
		return false
	}
	switch {
	case strings.HasPrefix(s, "~/"), strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"), strings.HasPrefix(s, `\\`),
		strings.HasPrefix(s, "$HOME"), strings.HasPrefix(s, "%"):
		return true
	case s[0] == '/':
		return letter(s[1]) || s[1] == '.'
	case letter(s[0]) && s[1] == ':' && len(s) > 2 && (s[2] == '\\' || s[2] == '/'):
		return true
	case s[0] == '.' && letter(s[1]):
		return true
	}
	return strings.Contains(s, "/") && strings.Contains(s, ".") && !strings.Contains(s, "..")
}

// topDomains are the endings of host names that are recognized without a scheme.
var topDomains = setOf("com net org io dev app co ai example test tld xyz ru cn me info biz site online tech cloud sh top club link " +
	"live icu cc ws evil local internal eu de uk fr")

func setOf(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

func hostName(s string) bool {
	s, rest, _ := strings.Cut(s, "/")
	s, _, _ = strings.Cut(s, "?")
	s, _, _ = strings.Cut(s, ":")
	dot := strings.LastIndexByte(s, '.')
	if dot < 2 || !topDomains[s[dot+1:]] || strings.Contains(s, "_") {
		return false
	}
	switch s[dot+1:] {
	// These are also endings of the names of files and properties.
	case "sh", "ai", "me", "co", "local", "io", "app", "cc", "ws", "test", "example", "internal", "cn", "live", "link",
		"site", "info", "dev", "cloud":
		return rest != "" || strings.Count(s, ".") > 1
	}
	for i := range dot {
		if !alnum(s[i]) && s[i] != '-' && s[i] != '.' {
			return false
		}
	}
	return true
}

// secretFiles are parts of the paths of files that hold credentials or that only
// programs of the system should touch.
var secretFiles = []string{
	".ssh", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "authorized_keys", "known_hosts", ".aws", ".kube", ".npmrc", ".netrc", ".pypirc",
	".pgpass", ".my.cnf", ".git-credentials", ".docker/config", ".gnupg", ".bash_history", ".zsh_history", ".bashrc",
	".zshrc", ".bash_profile", ".profile", ".config/gcloud", "gcloud/", ".azure", "keychain", "mcp.json", "mcp_config", "mcp-config",
	"claude_desktop_config", ".claude.json", "/etc/passwd", "/etc/shadow", "/etc/sudoers", "/etc/hosts", "/etc/cron",
	"crontab", "/proc/self", "/root/", "system32", "wallet.dat", "login data", "cookies.sqlite", "logins.json", "key4.db", "secrets.y",
	"secrets.json", "secrets.toml", "credentials.json", "credentials.db", "internal://cred", "config/credentials", "service-account",
	"service_account.json", ".vault-token", ".terraform.d", ".htpasswd", "/etc/ssl/private", "private_key", "private.key", "privatekey",
	"ssh/config", "/.config/gh", "hosts.yml", "shadow", "passwd", ".cursor/", "token.json", "tokens.json", "api_keys", "apikeys",
	"password.txt", "passwords",
}

// startupFile reports whether a text is the path of a file that decides who may log
// in or what is started.
func startupFile(s string) bool {
	s = strings.ToLower(s)
	for _, part := range []string{
		"authorized_keys", ".bashrc", ".zshrc", ".profile", ".bash_profile", "crontab", "/etc/cron", "sudoers", "/etc/passwd",
		"/etc/shadow",
	} {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// secretPath reports whether a text is the path of a file with credentials.
func secretPath(s string) bool {
	at := strings.IndexAny(s, "./\\_")
	if at < 0 || len(s) < 4 {
		return false
	}
	low := strings.ToLower(s)
	base := low[strings.LastIndexAny(low, `/\`)+1:]
	switch {
	case base == ".env", strings.HasPrefix(base, ".env."), strings.HasPrefix(base, "*.env"),
		strings.HasSuffix(base, ".env") && strings.ContainsAny(s, `/\`):
		return !strings.HasSuffix(base, ".example")
	case strings.HasSuffix(base, ".pem"), strings.HasSuffix(base, ".ppk"), strings.HasSuffix(base, ".keystore"),
		strings.HasSuffix(base, ".p12"), strings.HasSuffix(base, ".kdbx"), base == "credentials":
		return true
	case strings.HasSuffix(base, ".key"):
		return strings.ContainsAny(s, `/\*`)
	}
	if !strings.ContainsAny(s, `/\.`) {
		return strings.HasPrefix(low, "id_rsa") || strings.HasPrefix(low, "id_ed25519") || low == "authorized_keys"
	}
	for _, part := range secretFiles {
		if strings.Contains(low, part) {
			return (part != "shadow" && part != "passwd" && part != "passwords" && part != "keychain" || strings.ContainsAny(s, `/\`)) &&
				!strings.Contains(low, "example.com")
		}
	}
	return false
}

// toolVerbs are words, mostly verbs, with which names of tools begin or end.
var toolVerbs = setOf(`get list create send read write delete update search execute run post query transfer book fetch set add remove upload download
	open close move copy find call invoke edit insert make push pull merge commit buy sell pay order cancel submit publish share forward reply browser
	web file db sql shell bash terminal exec eval start stop deploy check verify fs git slack gmail email mail message whatsapp github gitlab place export
	import describe show view load save store put patch modify replace rename clear reset drop grant revoke schedule notify navigate click type screenshot
	take scrape crawl analyze generate convert compute calculate validate process sync mcp lookup retrieve access request subscribe approve reject install`)

// toolName reports whether an identifier looks like the name of a tool: it has
// several parts and begins or ends with a verb.
func toolName(s string) bool {
	if s == "" || s[0] == '-' {
		return false
	}
	i := strings.IndexAny(s, "_-")
	if i < 0 {
		for i = 1; i < len(s) && (s[i] < 'A' || s[i] > 'Z'); i++ {
		}
	}
	if i >= len(s) {
		return false
	}
	last := s[strings.LastIndexAny(s, "_-")+1:]
	return s != strings.ToUpper(s) && (toolVerbs[strings.ToLower(s[:i])] || toolVerbs[strings.ToLower(last)] && len(last) > 3) &&
		utf8.ValidString(s)
}

// looksUp reports whether the name of a tool says that it only looks something up.
func looksUp(name string) bool {
	start := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] == '_' || name[i] == '-' || name[i] >= 'A' && name[i] <= 'Z' {
			if lookUpVerbs[strings.ToLower(name[start:i])] {
				return true
			}
			start = i
			if i < len(name) && (name[i] == '_' || name[i] == '-') {
				start++
			}
		}
	}
	return false
}

var lookUpVerbs = setOf("get list find search fetch describe resolve lookup show retrieve view count check")
