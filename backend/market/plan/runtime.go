package plan

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// rule says what becomes of an option that a listing passes to npx, uvx, docker or dnx. An option without a rule is
// refused: it could start another program or load code from elsewhere.
type rule int

const (
	drop rule = iota + 1 // the plan has the option anyway, or it does not fit a server
	pass                 // it has no value
	take                 // it has a value
)

// given is an option of a listing for the program that starts the package.
type given struct {
	name  string
	rule  rule
	value listing.Argument // of an option whose rule is take: its value as a positional argument
}

// options reads the arguments of a listing for the program that starts its package. Listings spell options as named or
// positional arguments, and with the value in the same argument or in the next one. words are the arguments that are no
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

// fixed returns the value of an option that has no variables.
func (b *builder) fixed(program string, o given) string {
	if o.value.Value == "" || len(o.value.Variables) > 0 {
		b.refuse("It asks for the value of the option %s of %s.", o.name, program)
		return ""
	}
	b.constant("The option "+o.name, o.value.Value)
	return o.value.Value
}
