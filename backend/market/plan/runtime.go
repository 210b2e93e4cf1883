package plan

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// rule says how the plan treats an option that a listing passes to npx, uvx, docker or dnx. Options without a rule
// are refused: they could start another program or load other code.
type rule int

const (
	drop rule = iota + 1 // leave the option out: the plan sets it anyway, or it is not useful for a server
	pass                 // keep the option, which has no value
	take                 // keep the option with its value
)

// given is an option that a listing passes to the program that starts the package.
type given struct {
	name  string
	rule  rule
	value listing.Argument // if rule is take, the value of the option as a positional argument
}

// options reads the arguments that a listing passes to the program that starts its package. Options may be named or
// positional arguments, with the value in the same argument or in the next one. words are the arguments that are not
// options.
func (b *builder) options(program string, before []listing.Argument, rules map[string]rule) (options []given, words []string) {
	for i := 0; i < len(before); i++ {
		a := before[i]
		if !a.Named && !strings.HasPrefix(a.Value, "-") {
			if a.Value == "" {
				b.refuse("It asks for an argument of %s, which could be any option.", program)
				return nil, nil
			}
			b.constant("An argument of "+program, a.Value)
			words = append(words, a.Value)
			continue
		}
		if !a.Named {
			a.Name, a.Value, _ = strings.Cut(a.Value, "=")
		}
		name, inline, joined := strings.Cut(a.Name, "=")
		if joined && inline != "" {
			a.Value = inline
		}
		rule := rules[name]
		switch {
		case rule == 0:
			b.refuse(
				"It passes the option %s to %s, which Agent Discover does not do for a listing. Add the server by hand if you trust it.",
				prose(name, 60), program,
			)
			return nil, nil
		case rule == take && a.Value == "" && (!a.Named || bare(a)):
			if i++; i == len(before) || before[i].Named {
				b.refuse("It passes the option %s without a value to %s.", name, program)
				return nil, nil
			}
			a = before[i]
		case rule != take && a.Value == "false":
			continue
		case rule != take && a.Value != "" && a.Value != "true":
			b.refuse("It passes a value to the option %s of %s, which has none.", name, program)
			return nil, nil
		}
		a.Named, a.Name = false, ""
		options = append(options, given{name, rule, a})
	}
	return options, words
}

// fixed returns the value of an option. It refuses options whose value depends on an answer.
func (b *builder) fixed(program string, o given) string {
	if o.value.Value == "" || len(o.value.Variables) > 0 {
		b.refuse("It asks for the value of the option %s of %s.", o.name, program)
		return ""
	}
	b.constant("The option "+o.name, o.value.Value)
	return o.value.Value
}
