package plan

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// Question asks a person for a value.
type Question struct {
	Name        string   `json:"name"` // key of the answer, unique in a plan
	Label       string   `json:"label"`
	Description string   `json:"description,omitempty"`
	Where       string   `json:"where"`              // tells a person how the value is used
	Variable    string   `json:"variable,omitempty"` // environment variable that has the answer as its value; empty if there is none
	Format      string   `json:"format,omitempty"`   // number, boolean or filepath; empty for text
	Required    bool     `json:"required"`
	Secret      bool     `json:"secret"`
	Repeated    bool     `json:"repeated,omitempty"` // several answers are allowed
	Flag        bool     `json:"flag,omitempty"`     // an empty answer passes the argument without a value
	Choices     []string `json:"choices,omitempty"`
	Default     string   `json:"default,omitempty"`
	Placeholder string   `json:"placeholder,omitempty"`
	Guessed     bool     `json:"guessed,omitempty"` // found in a README, so it may be wrong
	Stored      bool     `json:"stored,omitempty"`  // the keychain has the answer
	Later       bool     `json:"later,omitempty"`   // a person enters the secret after the server was configured
	Missing     bool     `json:"missing"`           // the server cannot be installed without a valid answer
	Why         string   `json:"why,omitempty"`     // a sentence that says why there is a question, or what is wrong with the answer
}

// asked is an input of a listing that may become a question.
type asked struct {
	listing.Input
	name     string // preferred name of the question
	secret   string // name of the secret that stores a secret answer
	label    string
	where    string
	variable string // as in Question
	repeated bool
	flag     bool
	check    func(value string) string // returns what is wrong with a value, or ""
}

const (
	maxAnswers = 100
	maxAnswer  = 64 << 10 // bytes
)

// reply is the answer to a question, or its default.
type reply struct {
	values []string // empty if there is no acceptable answer
	secret bool
	stored bool // the keychain has the values, so that values contains placeholders
	at     int  // index of the question; -1 if the listing fixes the value
}

// ask adds a question and returns the reply. If the answers are not acceptable, the question has a reason in Why.
func (b *builder) ask(a asked) reply {
	if a.Value != "" { // a variable with a fixed value
		b.constant(a.where, a.Value)
		return reply{values: []string{a.Value}, secret: a.Secret, at: -1}
	}
	for _, text := range append([]string{a.Default}, a.Choices...) {
		b.constant(a.where, text)
	}
	name := b.free(a.name)
	answers := b.request.Answer(name)
	free := len(a.Choices) == 0 && a.Format != "number" && a.Format != "boolean"
	secret := a.Secret || free && (secretscan.SensitiveName(a.name) || slices.ContainsFunc(answers, secretscan.HasCredential))
	q := Question{
		Name: name, Label: prose(cmp.Or(a.label, name), 100), Description: prose(a.Description, 1000), Where: a.where,
		Variable: a.variable, Format: a.Format, Required: a.Required, Secret: secret, Repeated: a.repeated, Flag: a.flag,
		Choices: a.Choices, Default: a.Default, Placeholder: prose(a.Placeholder, 200), Guessed: a.From == listing.FromReadme,
	}
	if !slices.Contains([]string{"number", "boolean", "filepath"}, q.Format) {
		q.Format = ""
	}
	switch {
	case q.Guessed:
		q.Why = "The README of the package mentions it."
	case a.Required:
		q.Why = a.where + " is required."
	}
	stored := b.stored(a)
	later := len(stored) == 0 && b.request.SecretsLater && secret && a.Required && a.Default == "" && !q.Guessed
	if later {
		stored = []string{storedValue}
	}
	if len(b.request.Answers[name]) == 0 && len(stored) > 0 {
		q.Stored, q.Later, q.Secret = !later, later, true
		b.plan.Questions = append(b.plan.Questions, q)
		return reply{values: stored, secret: true, stored: true, at: len(b.plan.Questions) - 1}
	}
	if len(answers) == 0 && a.Default != "" {
		answers = []string{a.Default}
	}
	answers, problem := b.acceptable(a, answers)
	switch {
	case problem != "":
		q.Missing, q.Why = true, problem
	case len(answers) == 0 && a.Required && !q.Guessed:
		q.Missing = true
	}
	b.plan.Questions = append(b.plan.Questions, q)
	return reply{values: answers, secret: secret, at: len(b.plan.Questions) - 1}
}

// storedValue is the placeholder for a value that the keychain has, or gets later.
const storedValue = "stored"

// stored returns a placeholder for each answer that the keychain has.
func (b *builder) stored(a asked) (out []string) {
	name := secretName(a.secret)
	for b.request.Stored[numbered(name, len(out)+1)] && (len(out) == 0 || a.repeated) {
		out = append(out, storedValue)
	}
	return out
}

// reask marks the question of a reply as not answered, for the reason why. If the listing fixes the value, reask
// refuses the option instead; where describes the value.
func (b *builder) reask(r reply, where, why string) {
	if r.at < 0 {
		b.refuse("%s is fixed by the listing and cannot be used. %s", where, strings.Replace(why, "The answer ", "It ", 1))
		return
	}
	b.plan.Questions[r.at].Missing, b.plan.Questions[r.at].Why = true, why
}

// acceptable returns the answers in the spelling in which they are used, without empty ones. If an answer is wrong,
// problem says why.
func (b *builder) acceptable(a asked, answers []string) (out []string, problem string) {
	if len(answers) > 1 && !a.repeated || len(answers) > maxAnswers {
		return nil, "There are too many answers."
	}
	for _, answer := range answers {
		if answer == "" {
			if a.flag {
				out = append(out, answer)
			}
			continue
		}
		answer, problem = b.machine.convert(a.Format, answer)
		switch {
		case problem != "":
		case len(answer) > maxAnswer || !utf8.ValidString(answer) || strings.ContainsRune(answer, 0):
			problem = "The answer is too long, or no text."
		case refers(answer):
			problem = "The answer must not contain ${env: or ${secret:."
		case len(a.Choices) > 0 && !slices.Contains(a.Choices, answer):
			problem = "The answer must be one of: " + prose(strings.Join(a.Choices, ", "), 300) + "."
		case a.check != nil:
			problem = a.check(answer)
		}
		if problem != "" {
			return nil, problem
		}
		out = append(out, answer)
	}
	return out, ""
}

var (
	decimal    = lazyregexp.New(`^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$`)
	onWindows  = lazyregexp.New(`^(?:[A-Za-z]:[\\/]|\\\\)`)
	references = lazyregexp.New(`\$\{(?:env|secret):`)
)

// refers reports whether a text contains a reference, which the hub would replace when it starts the server.
func refers(text string) bool { return references.MatchString(text) }

// convert returns an answer in the spelling of its format, or what is wrong with it.
func (m Machine) convert(format, answer string) (text, problem string) {
	switch format {
	case "number":
		answer = strings.TrimSpace(answer)
		if n, err := strconv.ParseFloat(answer, 64); err != nil || math.IsInf(n, 0) || !decimal.MatchString(answer) {
			return "", "The answer must be a number."
		}
	case "boolean":
		answer = strings.ToLower(strings.TrimSpace(answer))
		if answer != "true" && answer != "false" {
			return "", "The answer must be true or false."
		}
	case "filepath":
		rest, inHome := strings.CutPrefix(answer, "~")
		if inHome && (rest == "" || strings.HasPrefix(rest, "/") || m.OS == "windows" && strings.HasPrefix(rest, `\`)) {
			answer = m.Home + rest
		}
		if m.OS == "windows" && !onWindows.MatchString(answer) || m.OS != "windows" && !path.IsAbs(answer) {
			return "", "The answer must be the whole path of a file or folder."
		}
	}
	return answer, ""
}

var plainName = lazyregexp.New(`^[A-Za-z0-9_.-]{1,64}$`)

// free returns an unused name for a question, and marks it as used.
func (b *builder) free(name string) string {
	free := name
	for n := 2; b.names[free]; n++ {
		free = name + "-" + strconv.Itoa(n)
	}
	b.names[free] = true
	return free
}

// prose returns a text of a listing on one line, cut to n characters, for display.
func prose(text string, n int) string {
	return safetext.Clip(safetext.Runs(safetext.Visible(strings.Join(strings.Fields(text), " "))), n)
}

// constant refuses the option if a text of the listing cannot be used as it is written.
func (b *builder) constant(where, text string) {
	switch {
	case !utf8.ValidString(text) || strings.ContainsFunc(text, safetext.Hidden):
		b.refuse("%s contains characters that cannot be seen.", where)
	case refers(text):
		b.refuse("%s refers to the variables or secrets of this computer.", where)
	}
}
