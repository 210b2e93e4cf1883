package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	marketplan "github.com/agent-discover/agent-discover/backend/market/plan"
)

// inputFlags are the flags for the answers to the questions of a plan.
type inputFlags struct{ values, files []string }

// answers returns the answers that the flags give, by the names of their questions. public contains
// the names of the questions whose answers are among the arguments of this process, which every
// program on this computer can read.
func (c marketCommands) answers(ctx context.Context, f inputFlags) (answers map[string][]string, public map[string]bool, err error) {
	answers, public = make(map[string][]string), make(map[string]bool)
	stdin := false
	read := func(name, file string) error {
		if file == "-" && stdin {
			return usagef("only one input can be read from standard input")
		}
		if file == "-" {
			stdin = true
			text, err := c.p.readSecret(ctx, shownText(name)+": ")
			answers[name] = append(answers[name], text)
			return err
		}
		text, err := editorCommands(c).readText(file)
		answers[name] = append(answers[name], strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"))
		return err
	}
	for _, pair := range f.values {
		name, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok || name == "":
			return nil, nil, usagef(
				"--input must have the form NAME=VALUE; in place of a secret value, write NAME=- and send it on standard input",
			)
		case value == "-":
			if err := read(name, "-"); err != nil {
				return nil, nil, err
			}
		default:
			answers[name], public[name] = append(answers[name], value), true
		}
	}
	for _, pair := range f.files {
		name, file, ok := strings.Cut(pair, "=")
		if !ok || name == "" || file == "" {
			return nil, nil, usagef("--input-file %q must have the form NAME=FILE", pair)
		}
		if err := read(name, file); err != nil {
			return nil, nil, err
		}
	}
	return answers, public, nil
}

// checkPublic returns an error if an answer to a secret question is in the arguments of this process.
func checkPublic(p *marketplan.Plan, public map[string]bool) error {
	for _, q := range p.Questions {
		if q.Secret && public[q.Name] {
			return usagef(
				"%s is a secret, and other programs can read the arguments of a command: use --input %s=- and send it on standard "+
					"input, or run the command in a terminal, which asks for it", shownText(q.Name), shownText(q.Name),
			)
		}
	}
	return nil
}

// errMissing returns the error that lists the answers without which a server cannot be installed.
func errMissing(p *marketplan.Plan) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s needs answers, and nobody can be asked here:", shownText(p.ID))
	for _, q := range p.Unanswered() {
		fmt.Fprintf(&b, "\n  --input %s=%s  %s", shownText(q.Name), placeholder(q), question(q))
	}
	return usage{errors.New(b.String())}
}

// placeholder returns the text shown in a command in place of an answer.
func placeholder(q marketplan.Question) string {
	switch {
	case q.Secret:
		return "-"
	case len(q.Choices) > 0:
		return shownText(strings.Join(q.Choices, "|"))
	case q.Format == "boolean":
		return "true|false"
	case q.Format == "number":
		return "NUMBER"
	case q.Format == "filepath":
		return "PATH"
	}
	return "VALUE"
}

// question describes a question on one line.
func question(q marketplan.Question) string {
	parts := []string{shownText(q.Description)}
	if q.Why != "" {
		parts = append(parts, shownText(q.Why))
	}
	if q.Secret {
		parts = append(parts, "It is a secret: send it on standard input.")
	}
	if q.Guessed {
		parts = append(parts, "It was found in the README, and may not be needed.")
	}
	return strings.TrimSpace(strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " "))
}

// askFor asks on the terminal for the missing answers of a plan. The terminal does not show what is typed as the answer
// to a secret question.
func (c marketCommands) askFor(ctx context.Context, p *marketplan.Plan, answers map[string][]string) error {
	for _, q := range p.Unanswered() {
		about := question(marketplan.Question{Description: q.Description, Why: q.Why})
		if len(q.Choices) > 0 {
			about = strings.TrimSpace(about + " One of: " + shownText(strings.Join(q.Choices, ", ")))
		}
		if about != "" {
			c.p.prompting().printf("%s\n", about)
		}
		prompt := shownText(q.Label) + ": "
		var answer string
		var err error
		if q.Secret {
			answer, err = c.p.readSecret(ctx, prompt)
		} else {
			answer, err = c.p.readLine(ctx, prompt)
		}
		if err != nil {
			return err
		}
		if strings.TrimSpace(answer) == "" {
			return fault.New(fault.Invalid, "nothing was entered; nothing was installed")
		}
		answers[q.Name] = []string{answer}
	}
	return nil
}
