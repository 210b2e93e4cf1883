package risk

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

const interpreters = `(?:ba|z|da|k|c|tc|fi)?sh|busybox|python[\d.]*w?|node|nodejs|deno|bun|ruby|perl|php|lua|osascript|powershell|pwsh|cmd|iex|invoke-expression|eval|source`

var (
	shells   = lazyregexp.New(`^(?:(?:ba|z|da|k|c|tc|fi|a)?sh|busybox|cmd|powershell|pwsh|osascript|wscript|cscript|mshta)$`)
	scripted = lazyregexp.New(`^(?:node|nodejs|deno|bun|python[\d.]*w?|ruby|perl|php|lua|awk|gawk|sed|expect|tclsh|R|Rscript|julia)$`)
	wrappers = lazyregexp.New(`^(?:env|sudo|doas|nohup|xargs|nice|timeout|setsid|stdbuf|script|watch|find|parallel|start|` +
		`runas|pkexec|su|chroot|unshare|nsenter|flatpak-spawn|systemd-run|rundll32|regsvr32|wsl)$`)
	elevated = lazyregexp.New(`^(?:sudo|doas|su|pkexec|runas|gsudo)$`)
	boxes    = lazyregexp.New(`^(?:docker|podman|nerdctl)$`)
	// evaluates matches options with which shells and interpreters run the next argument as a script, and options that
	// contain the script.
	evaluates = lazyregexp.New(`(?i)^(?:-[a-z]*[cep]|--?(?:eval|print|exec|command|encodedcommand|enc|ec)|--(?:eval|print|` +
		`exec|command)=.*|/[ck]|eval|-r|--run)$`)

	// pipe matches a pipe into an interpreter, and other ways to run the output of a program.
	pipe = lazyregexp.New(`(?i)\|&?\s*(?:(?:sudo|env|nohup|exec|command|xargs)\s+(?:-\S+\s+|\w+=\S*\s+)*)*(?:[^\s|;&"'()]*[/\\])?(?:` +
		interpreters + `)(?:\.exe)?(?:$|[\s;&|)"'<>-])` +
		`|(?:^|[\s;&|"'(])(?:` + interpreters + `|\.)\s+(?:-\S+\s+)*["']?(?:<\(|\$\(|` + "`" + `)` +
		`|\b(?:iex|invoke-expression)\b` +
		`|<\(\s*(?:curl|wget)`)
	fetch = lazyregexp.New(`(?i)(?:^|[\s;&|"'(` + "`" +
		`=])(?:curl|wget|aria2c|fetch|ncat|netcat|nc|socat|certutil|bitsadmin|invoke-webrequest|invoke-restmethod|iwr|irm)(?:\.exe)?\s`)
	control = lazyregexp.New("[|;&`<>\n]|\\$\\(")

	address = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*://[^\s|;` + "`" + `<>]*$`)

	decodes = lazyregexp.New(`(?i)base64\s+(?:-d|-D|--decode)|openssl\s+(?:enc|base64)|\bxxd\s+-\w*r|\batob\s*\(|` +
		`fromCharCode|b64decode|b32decode|fromhex|unhexlify|frombase64string|Buffer\.from\([^)]*(?:base64|hex)|` +
		`decodeURIComponent|\bunescape\s*\(|rot13|codecs\.decode|-enc(?:odedcommand)?\b`)
	escapes = lazyregexp.New(`(?i)(?:\\x[0-9a-f]{2}|\\u\{?[0-9a-f]{4}\}?|\\[0-3][0-7]{2}|%[0-9a-f]{2}|&#x?[0-9a-f]+;){4,}`)
	base64s = lazyregexp.New(`[A-Za-z0-9+/_-]{24,}={0,2}`)
	hexes   = lazyregexp.New(`(?i)(?:[0-9a-f]{2}){16,}`)
)

// scripts warns of downloads that run at once, of pipes into interpreters, and of other shell syntax in an argument.
func (r *report) scripts(p place) {
	if p.where == "url" || p.name != "" && strings.HasPrefix(p.where, "headers.") {
		return
	}
	piped, fetches := pipe.FindStringIndex(p.text), fetch.FindStringIndex(p.text+" ")
	match := func(at []int) string {
		return strings.Trim(p.text[at[0]:min(at[1], len(p.text))], " \t\n;&\"'(`=")
	}
	switch {
	case piped != nil && fetches != nil:
		r.add(Pipes, p.where, match(piped), "%s", runsDownload)
	case fetches != nil && control.MatchString(p.text):
		r.add(Pipes, p.where, match(fetches), "%s", runsDownload)
	case piped != nil:
		r.add(Pipes, p.where, match(piped),
			"It passes text from one program to an interpreter, which runs it. The text cannot be seen here.")
	case strings.HasPrefix(p.where, "args[") && control.MatchString(p.text) && !address.MatchString(p.text):
		r.add(RunsScript, p.where, control.FindString(p.text), "%s", runsScript)
	}
}

const (
	runsDownload = "It downloads a script and runs it at once, without a check. Nobody has seen what the script does."
	runsScript   = "It starts a shell or interpreter with its own commands. Read them to the end."
)

// encodings warns of text that hides its content in an encoding.
func (r *report) encodings(p place) {
	if at := decodes.FindString(p.text); at != "" && !strings.HasPrefix(p.where, "headers.") {
		r.add(Encoded, p.where, at, "It decodes text that cannot be read here.")
		return
	}
	if at := escapes.FindString(p.text); at != "" && p.where != "url" {
		r.add(Encoded, p.where, at, "It contains text that is written as escapes, so that it cannot be read here.")
		return
	}
	for _, found := range []struct {
		match  string
		decode func(string) ([]byte, error)
	}{
		{base64s.FindString(p.text), decodeBase64},
		{hexes.FindString(p.text), hex.DecodeString},
	} {
		if found.match == "" {
			continue
		}
		if plain, err := found.decode(found.match); err == nil && readable(plain) {
			r.add(Encoded, p.where, found.match, "It contains encoded text, which reads: %s",
				safetext.Runs(safetext.Visible(safetext.Clip(string(plain), 200))))
			return
		}
	}
}

func decodeBase64(text string) ([]byte, error) {
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	return base64.RawStdEncoding.DecodeString(text)
}

// readable reports whether decoded bytes are text that a person could have
// written. Random credentials are not.
func readable(data []byte) bool {
	if len(data) > 2 && len(data)%2 == 0 && data[1] == 0 && data[3] == 0 { // UTF-16, as PowerShell takes it
		half := make([]byte, 0, len(data)/2)
		for i := 0; i < len(data); i += 2 {
			half = append(half, data[i])
		}
		data = half
	}
	if !utf8.Valid(data) {
		return false
	}
	printable := 0
	for _, c := range data {
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			printable++
		}
	}
	return printable*10 >= len(data)*9
}

// program warns of a program that runs scripts or other programs, or that other programs could replace.
func (r *report) program() {
	s := r.server
	if s.Command == "" || remote(s) {
		return
	}
	name := program.Name(s.Command)
	words := append([]string{s.Command}, s.Args...)
	for i, word := range words {
		name := program.Name(word)
		shell := shells.MatchString(name)
		if !shell && !scripted.MatchString(name) {
			continue
		}
		for j, arg := range words[i+1:] {
			if evaluates.MatchString(arg) && (shell || !strings.EqualFold(arg, "-r")) {
				r.add(RunsScript, fmt.Sprintf("args[%d]", min(i+j+1, len(s.Args)-1)), "", "%s", runsScript)
				break
			}
			if !shell && !strings.HasPrefix(arg, "-") {
				break // the rest are arguments of a script in a file
			}
		}
		if shell && i == 0 {
			r.add(RunsScript, "command", "", "%s", runsScript)
		}
	}
	switch {
	case elevated.MatchString(name):
		r.add(Elevates, "command", "", "It asks for the rights of an administrator or another user.")
	case wrappers.MatchString(name):
		r.add(RunsScript, "command", "", "%s", runsScript)
	}
	if open := regexp.MustCompile(`^(?:/tmp/|/var/tmp/|/dev/shm/|/private/tmp/)|[/\\](?:Temp|Downloads)[/\\]|^\.{1,2}[/\\]`).MatchString(s.Command); open {
		r.add(Redirects, "command", "", "The program is in a folder whose files other programs replace easily.")
	}
}

// loading matches options with which interpreters and installers load further code. sources matches options that change
// where packages or connections come from, such as a registry, a proxy or a debugging port. outside matches packages
// that are not in a registry. boxed matches options that give a container access to the computer.
var (
	loading = lazyregexp.New(`(?i)^--?(?:require|import|loader|experimental-loader|preload|node-options|init-script|` +
		`javaagent|agentpath|agentlib|classpath|cp|plugin|with|with-editable|config-file|userconfig|` +
		`globalconfig)(?:[=:].*)?$|^-javaagent:.*|^(?-i:-[rIM])$`)
	sources = lazyregexp.New(`(?i)^--?(?:registry|index-url|extra-index-url|default-index|index|find-links|trusted-host|` +
		`proxy|https-proxy|cafile|from|inspect|inspect-brk|remote-debugging-port)(?:=.*)?$|^(?:npm_config_\w+=.*)$`)
	outside = lazyregexp.New(`(?i)^(?:git\+|https?://|git@|github:|gitlab:|bitbucket:|gist:|file:|ssh://)`)
	boxed   = lazyregexp.New(`(?i)--privileged|--pid[= ]?host|--cap-add|--security-opt|docker\.sock|--ipc[= ]?host|--device|` +
		`--userns[= ]?host|(?:^|\s)(?:-v|--volume|--mount)[= ]\s*(?:type=bind,)?(?:src=|source=)?(?:/|~|\$HOME|` +
		`[A-Za-z]:\\)(?::|,|\s)`)
)

// options warns of options that change which code is loaded, and from where.
func (r *report) options() {
	s := r.server
	if remote(s) {
		return
	}
	name := program.Name(s.Command)
	fetcher := fetchers[name] != ""
	for i, arg := range s.Args {
		where, label := fmt.Sprintf("args[%d]", i), fmt.Sprintf("Argument %d", i+1)
		switch {
		case loading.MatchString(arg) && (scripted.MatchString(name) || fetcher || len(arg) > 2) && name != "docker":
			if fetcher && strings.HasPrefix(strings.ToLower(arg), "--with") || !fetcher || !strings.EqualFold(arg, "-r") {
				r.add(Loads, where, "", "%s changes which code is loaded.", label)
			}
		case sources.MatchString(arg):
			r.add(Redirects, where, "", "%s changes where packages or connections come from.", label)
		case fetcher && arg == packageOf(s.Args) && outside.MatchString(arg):
			r.add(Redirects, where, "", "%s is an address outside of the usual package registry.", label)
		}
	}
	if boxes.MatchString(name) {
		for i, option := range s.Args {
			// Some options match only together with their value, which is the next argument.
			if i+1 < len(s.Args) && !boxed.MatchString(option) && !boxed.MatchString(s.Args[i+1]) {
				option += " " + s.Args[i+1]
			}
			if boxed.MatchString(option) {
				r.add(Elevates, fmt.Sprintf("args[%d]", i), "", "Argument %d lets the container reach this computer.", i+1)
			}
		}
	}
}

// address warns of a misleading or unencrypted address of a remote server.
func (r *report) address() {
	if r.server.URL == "" || !remote(r.server) {
		return
	}
	u, err := launch.ParseURL(r.server.URL)
	if err != nil {
		r.add(Redirects, "url", "", "The address is malformed.")
		return
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case u.User != nil:
		r.add(Redirects, "url", u.User.String()+"@", "The address leads to %s; the part before the @ is no host.", safetext.Visible(u.Host))
	case strings.Contains(host, "xn--"):
		r.add(Redirects, "url", "", "The host name has letters in an encoded form, and may look like another name.")
	case ip != nil && !local:
		r.add(Redirects, "url", "", "The address is a number, not a name, so that it does not tell whose server it is.")
	}
	if u.Scheme == "http" && !local {
		r.add(Redirects, "url", "http:", "The connection is not encrypted: others on the network can read and change what is sent.")
	}
	for name := range r.server.Headers {
		if strings.EqualFold(name, "host") {
			r.add(Redirects, "headers."+name, "", "The header %s names another host than the address.", safetext.Visible(name))
		}
	}
}
