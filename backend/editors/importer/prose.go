package importer

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/program"
)

var (
	htmlStart = lazyregexp.New(`(?i)^<(!doctype|!--|\?xml|/?[a-z][a-z0-9-]*[\s/>])`)
	otherLink = lazyregexp.New(`^[a-z][a-z0-9+.-]+://`)
	// hasPath matches a program that is given with a path or an extension.
	hasPath = lazyregexp.New(`[\\/]|(?i)\.(exe|cmd|bat|ps1|sh|py|js|mjs|ts|jar|AppImage)$`)
	// programName matches the name or the path of a program.
	programName = lazyregexp.New(`^[A-Za-z0-9_.+~$%{}@/\\:-]+$`)
	// setUp matches the first words of commands that prepare something and start
	// no server.
	setUp = lazyregexp.New(`^(cd|git|brew|apt|apt-get|dnf|yum|pacman|winget|choco|scoop|curl|wget|mkdir|export|source|chmod|` +
		`cp|mv|rm|ls|echo|cat|touch|set|setx|sudo|ln|open|start|pip|pip3|make|cargo|go)$`)
	// installs matches the arguments of a package manager that install, build or test something
	// instead of starting a server.
	installs = lazyregexp.New(
		`^(install|i|ci|add|build|pull|login|init|test|create|sync|venv|clone|update|upgrade|config|link|publish)$`,
	)
)

// commonWords are English words that occur in sentences but not in command lines.
var commonWords = setOf("the", "a", "an", "to", "with", "your", "you", "and", "or", "is", "are", "of", "for", "this",
	"that", "then", "in", "on", "it", "as", "be", "can", "from", "by", "will", "which", "following", "into", "if", "when", "please", "use",
	"using", "our", "we")

// refusal returns why a line is not a command that starts a server, or nil if it may be one. The
// error does not quote the line.
func refusal(line string, words []string) error {
	for len(words) > 0 && (setVariable.MatchString(words[0]) || words[0] == "env") {
		words = words[1:]
	}
	plain := words // without sudo, which starts another command
	for len(plain) > 1 && (plain[0] == "sudo" || plain[0] == "doas") {
		plain = plain[1:]
	}
	switch {
	case htmlStart.MatchString(line):
		return fault.New(fault.Invalid, "this is HTML, not a configuration; copy the configuration or command that the page shows")
	case len(words) == 0 || words[0] == "":
		return nil
	case otherLink.MatchString(words[0]) && !address.MatchString(words[0]):
		return fault.New(fault.Invalid,
			"links of this kind are not supported; paste the configuration, the command or the URL (https://…) of the server")
	case address.MatchString(words[0]) && len(words) > 1:
		return fault.New(fault.Invalid, "a URL must stand alone; paste it without the text after it, or paste the configuration")
	case clientCommand(words) != nil:
		return nil
	case installsServer(plain):
		return fault.New(fault.Invalid,
			"this command installs a server into an AI client; paste the configuration, the command or the URL of the server itself")
	case prepares(plain):
		return fault.New(fault.Invalid, "this command starts no server; run it in a terminal, and paste the command that starts the server")
	case reads(line, words):
		return fault.New(fault.Invalid,
			"this reads like prose, not like a command; paste only the configuration, the command or the URL of the server")
	}
	return nil
}

func installsServer(words []string) bool {
	return runner.MatchString(program.Name(words[0])) && installers.MatchString(packageIn(words[1:])) || installers.MatchString(words[0])
}

// prepares reports whether a command prepares something and starts no server.
func prepares(words []string) bool {
	name := program.Name(words[0])
	if len(words) < 2 {
		return false
	}
	switch name {
	case "npm", "pnpm", "yarn", "bun", "uv", "poetry", "docker", "podman", "pipx", "npx":
		return name != "npx" && installs.MatchString(words[1])
	case "make", "cargo", "go":
		return installs.MatchString(words[1])
	}
	return setUp.MatchString(name) && name != "sudo" && !slices.Contains(words, "&&")
}

// reads reports whether a line looks like a sentence.
func reads(line string, words []string) bool {
	first := words[0]
	if !programName.MatchString(first) {
		return true
	}
	common, commas := 0, 0
	for _, word := range words[1:] {
		if commonWords[strings.ToLower(strings.Trim(word, ".,:;!?()"))] {
			common++
		}
		if len(word) > 2 && strings.HasSuffix(word, ",") {
			commas++
		}
	}
	known := runner.MatchString(program.Name(first)) || hasPath.MatchString(strings.TrimRight(first, ".,:;!?"))
	ends := strings.ContainsAny(line[len(line)-1:], ".!?:;") && len(words) > 2 && endsLikeSentence(words[len(words)-1])
	switch {
	case known:
		return common > 1 && ends || common > 2
	case strings.ContainsAny(first[len(first)-1:], ".,:;!?"):
		return true
	case unicode.IsUpper(rune(first[0])) && !strings.ContainsAny(first, "-_"), len(first) > 1 && commonWords[first]:
		return true
	case strings.HasPrefix(first, "-"), strings.HasPrefix(first, "*"):
		return true
	}
	return common > 0 || commas > 0 || ends
}

// endsLikeSentence reports whether word, the last one of a line, is a plain word apart
// from its punctuation, and not a path such as "." or "./a:".
func endsLikeSentence(word string) bool {
	word = strings.TrimRight(word, ".!?:;")
	return word != "" && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' }) < 0
}
