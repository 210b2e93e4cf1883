package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// Access is a way to use a file or an address.
type Access string

// The accesses that a person can grant.
const (
	Read    Access = "read"
	Write   Access = "write"
	Network Access = "network"
)

// Denied is an access that a confined server was probably denied. The kernel does not report denials, so the access is
// derived from the output of the server: a line of its standard error, or the result of a call that failed.
type Denied struct {
	Access Access
	Target string // the path or the host; empty if the server did not name it
	// Grant is the grant that allows the access. It is empty if the target is a secret, which a person should not grant
	// without thought.
	Grant string
	Count int
	Last  time.Time
	Line  string // the output of the server, with hidden characters made visible
}

// claim is an access that a text says was denied.
type claim struct {
	access Access // empty if it is not known whether the file was to be read or written
	target string
	// missing is set if the text says that the target does not exist, as it seems to a server that has a file tree of its
	// own.
	missing bool
	named   bool // by the configuration or a call, and not by the server
}

// patterns match messages of programs about denied accesses.
type patterns struct {
	node   *regexp.Regexp // of Node: EACCES: permission denied, open '/a/b'
	python *regexp.Regexp // of Python: [Errno 13] Permission denied: '/a/b'
	golang *regexp.Regexp // of Go: open /a/b: permission denied
	shell  *regexp.Regexp // of shells and common programs: cat: /a/b: Permission denied
	// missing matches the part of a message that says that a file does not exist.
	missing *regexp.Regexp
	// addresses match messages about forbidden connections and about names that cannot be resolved.
	addresses []*regexp.Regexp
}

// compiled returns the patterns. They are compiled when they are first needed,
// because the helper starts with each confined server and does not need them.
var compiled = sync.OnceValue(func() patterns {
	return patterns{
		node:    regexp.MustCompile(`\b(?:EACCES|EPERM|EROFS|ENOENT): [a-z -]+, (\w+) '([^'\n]+)'(?: -> '([^'\n]+)')?`),
		python:  regexp.MustCompile(`\[Errno (?:13|1|30|2)\] [^:\n]+: '([^'\n]+)'`),
		golang:  regexp.MustCompile(`\b(open|openat|mkdir|mkdirat|remove|unlinkat|rename|truncate|symlink|link|create|stat|lstat|readdirent|fdopendir|scandir) (/[^:\n]+): (?:permission denied|operation not permitted|read-only file system|no such file or directory)`),
		shell:   regexp.MustCompile(`(?:cannot (create|remove|open|access|touch|make directory|create directory|create regular file|read)[^/\n]*)?['‘"]?(/[^'’":\n]+)['’"]?: (?:Permission denied|Operation not permitted|Read-only file system|No such file or directory)`),
		missing: regexp.MustCompile(`^ENOENT|^\[Errno 2\]|(?i:no such file or directory)$`),
		addresses: []*regexp.Regexp{
			// Node
			regexp.MustCompile(`\bconnect (?:EACCES|EPERM|ENETUNREACH) (\[?[0-9A-Fa-f.:]+\]?)|\bgetaddrinfo (?:EAI_AGAIN|EAI_FAIL|ENOTFOUND|EACCES|EPERM) ([A-Za-z0-9._-]+)`),
			// Go
			regexp.MustCompile(`\bdial (?:tcp|udp)[46]? ([A-Za-z0-9._:\[\]-]+): [^\n]*(?:permission denied|operation not permitted|network is unreachable)`),
			// Go
			regexp.MustCompile(`\blookup ([A-Za-z0-9._-]+)(?: on [^ ]+)?: [^\n]*(?:permission denied|operation not permitted)`),
			// Python, curl
			regexp.MustCompile(`(?:Failed to resolve '|host='|Could not resolve host: )([A-Za-z0-9._-]+)|Temporary failure in name resolution|Name or service not known`),
		},
	}
})

// writers are the operations that change something.
var writers = map[string]bool{
	"mkdir": true, "mkdirat": true, "mkdtemp": true, "unlink": true, "unlinkat": true, "rmdir": true, "rename": true, "remove": true,
	"symlink": true, "link": true, "truncate": true, "ftruncate": true, "create": true, "copyfile": true, "chmod": true, "touch": true,
	"make directory": true, "create directory": true, "create regular file": true,
}

var readers = map[string]bool{
	"scandir": true, "opendir": true, "readdirent": true, "fdopendir": true, "stat": true, "lstat": true, "access": true, "read": true,
	"readlink": true,
}

// claimsIn returns the denied accesses that a text reports.
func claimsIn(text string) (claims []claim) {
	if len(text) > 8<<10 {
		text = text[:8<<10]
	}
	p := compiled()
	file := func(message, operation, target string) {
		c := claim{target: target, missing: p.missing.MatchString(message)}
		switch {
		case writers[operation]:
			c.access = Write
		case readers[operation]:
			c.access = Read
		}
		if filepath.IsAbs(target) {
			claims = append(claims, c)
		}
	}
	for _, m := range p.node.FindAllStringSubmatch(text, 8) {
		file(m[0], m[1], m[2])
		if m[3] != "" {
			file(m[0], m[1], m[3])
		}
	}
	for _, m := range p.python.FindAllStringSubmatch(text, 8) {
		file(m[0], "", m[1])
	}
	for _, m := range p.golang.FindAllStringSubmatch(text, 8) {
		file(m[0], m[1], m[2])
	}
	for _, m := range p.shell.FindAllStringSubmatch(text, 8) {
		file(m[0], m[1], strings.TrimSpace(m[2]))
	}
	for _, pattern := range p.addresses {
		for _, m := range pattern.FindAllStringSubmatch(text, 8) {
			target := ""
			for _, part := range m[1:] {
				if part != "" {
					target = part
				}
			}
			claims = append(claims, claim{access: Network, target: target})
		}
	}
	return claims
}

// deniedBy returns the denied access of a claim, and false if the policy does not
// deny it. In that case the user has no such access either, or the message of the
// server is wrong.
func deniedBy(p confinement.Policy, c claim, home string) (d Denied, denied bool) {
	d = Denied{Access: c.access, Target: c.target, Count: 1}
	if c.access == Network {
		if !p.Network.Restricted {
			return d, false
		}
		d.Grant = c.target
		if host, port := splitHost(c.target); c.target == "" {
			d.Grant = "443"
		} else if host == "" || port == "" || strings.Contains(port, ".") {
			d.Grant = c.target + ":443"
		}
		return d, true
	}
	path := real(c.target)
	if _, err := os.Lstat(path); c.missing && err != nil {
		return d, false // it does not exist on the machine either
	}
	switch {
	case c.access != Write && (!p.Allows(path, false) || !p.Lists(path)):
		d.Access = Read
	case c.access != Read && !p.Allows(path, true):
		d.Access = Write
	default:
		return d, false
	}
	d.Target = path
	if grant := grantFor(path, d.Access, home); !p.Hides(path) && (c.named || !tooMuch(grant, home)) {
		d.Grant = grant
	}
	return d, true
}

// tooMuch reports whether a folder contains the files of all programs of the user, so that a message of a server is no
// reason to offer it to a person.
func tooMuch(folder, home string) bool {
	return confinement.Within(folder, real(home)) ||
		slices.Contains(strings.Fields("/run /dev /proc /sys /var /var/lib /tmp /home /root /Users /Volumes"), folder)
}

// maxAsked is the largest number of arguments and variables of a server that are looked at for paths.
const maxAsked = 200

// asked records the files and folders that the arguments and variables of a server name, and that its policy denies, so
// that a person can grant them before the server fails. It returns how a person can, "" if there are none.
func (s *Sandbox) asked(name string, server registry.Server, p confinement.Policy, l upstream.Launch) (advice string) {
	claims := claimsOn(p, l.Env.Home(), configured(server, l))
	if s.denials.add(name, claims, upstream.Line{At: s.options.Now()}) {
		events.Publish(s.options.Bus, Changed{name})
	}
	var command strings.Builder
	for _, c := range claims {
		if d, denied := deniedBy(p, c, l.Env.Home()); denied && d.Grant != "" {
			fmt.Fprintf(&command, " --%s %s", d.Access, safetext.ShellWord(d.Grant))
		}
	}
	if command.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("Its sandbox (%s) denies it files that its configuration names; a person can allow them on its page or with: "+
		"agent-discover servers grant %s%s", server.Sandbox, server.Name, command.String())
}

// configured returns the arguments and the values of the variables with which a server is started. If its configuration
// contains references to secrets, only those are returned that are in it as they are, because others may be secrets.
func configured(server registry.Server, l upstream.Launch) []string {
	texts, written := slices.Clone(l.Args), slices.Clone(server.Args)
	for _, variable := range slices.Sorted(maps.Keys(l.Own)) {
		texts = append(texts, l.Own[variable])
	}
	for _, value := range server.Env {
		written = append(written, value)
	}
	if !slices.ContainsFunc(written, func(text string) bool { return strings.Contains(text, "${secret:") }) {
		return texts
	}
	return slices.DeleteFunc(texts, func(text string) bool { return !slices.Contains(written, text) })
}

// CallMade notices the files and folders that the arguments of a call name, and that the sandbox of the server denies. A
// server with a home folder of its own may have written there without knowing that the user does not see it.
func (s *Sandbox) CallMade(server, arguments string, at time.Time) {
	s.denials.mu.Lock()
	c := s.denials.known[server]
	if c == nil {
		s.denials.mu.Unlock()
		return
	}
	p, home := c.policy, c.home
	s.denials.mu.Unlock()
	var value any
	if json.Unmarshal([]byte(arguments), &value) != nil {
		return // they were cut
	}
	if s.denials.add(server, claimsOn(p, home, textsIn(value, nil)), upstream.Line{At: at}) {
		events.Publish(s.options.Bus, Changed{server})
	}
}

// textsIn adds the texts in a JSON value to texts.
func textsIn(value any, texts []string) []string {
	switch v := value.(type) {
	case string:
		return append(texts, v)
	case []any:
		for _, one := range v {
			texts = textsIn(one, texts)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			texts = textsIn(v[name], texts)
		}
	}
	return texts
}

// claimsOn returns claims on the files and folders that texts name, and that a policy does not allow to be read.
func claimsOn(p confinement.Policy, home string, texts []string) (claims []claim) {
	for _, text := range texts[:min(len(texts), maxAsked)] {
		if option, value, found := strings.Cut(text, "="); found && strings.HasPrefix(option, "-") {
			text = value
		}
		if rest, ok := strings.CutPrefix(text, "~/"); ok {
			text = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(text) || len(text) > maxPath || p.Allows(real(text), false) {
			continue
		}
		// A folder, a database, and a file that does not exist yet are probably written; other files are read.
		access := Write
		if info, err := os.Stat(text); err == nil && !info.IsDir() && !isDatabase(text) {
			access = Read
		} else if _, missing := os.Stat(filepath.Dir(text)); err != nil && missing != nil {
			continue // a path of another kind, such as that of a URL
		}
		claims = append(claims, claim{access: access, target: text, named: true})
	}
	return claims
}

// isDatabase reports whether a file is a database, to which programs write, and beside which they create other files.
func isDatabase(path string) bool {
	if slices.Contains(databases, strings.ToLower(filepath.Ext(path))) {
		return true
	}
	file, err := paths.OpenRegular(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	begin := make([]byte, len(magicOfSQLite))
	_, err = io.ReadFull(file, begin)
	return err == nil && string(begin) == magicOfSQLite
}

const magicOfSQLite = "SQLite format 3\x00"

var databases = strings.Fields(".db .db3 .sqlite .sqlite3 .duckdb .mdb .kuzu")

// maxPath is the largest length of a path on Linux.
const maxPath = 4096

// grantFor returns the path to grant so that a server can use path: path itself if it is a folder or is only read, and
// otherwise the nearest existing folder above it. If that folder is the home folder or contains it, grantFor returns
// the file or folder one level below it that leads to path.
func grantFor(path string, access Access, home string) string {
	info, err := os.Stat(path)
	if err == nil && (info.IsDir() || access == Read) {
		return path
	}
	folder := filepath.Dir(path)
	for err != nil && folder != filepath.Dir(folder) { // the folder may be missing, too
		if _, missing := os.Stat(folder); missing == nil {
			break
		}
		path, folder = folder, filepath.Dir(folder)
	}
	if confinement.Within(folder, home) {
		return path
	}
	return folder
}
