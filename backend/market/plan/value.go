package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

// value is one string of the configuration.
type value struct {
	text   string // as stored, with references in place of secrets
	plain  string // as the server receives it
	secret bool   // text contains a reference
}

// input is an input of a listing that becomes a part of the configuration.
type input struct {
	listing.Input
	variables map[string]listing.Input
	name      string // name of the question, and part of the names of questions about variables
	label     string
	where     string // describes the input to a person, such as: The variable API_KEY
	variable  string // environment variable that has the value; empty for other inputs
	secret    string // name of the secret, and prefix of the names of secrets in variables
	repeated  bool
	flag      bool
	visible   bool // other users of this computer can see the value
	// check returns what is wrong with the answer for a variable, or with the whole answer if variable is empty.
	check func(variable, answer string) string
	// whole returns what is wrong with the complete value.
	whole func(plain string) string
	// escape converts the answer for a variable to the form that it has in the value.
	escape func(variable, answer string) string
}

// braces match texts that may be variables.
var braces = lazyregexp.New(`\{([^{}]+)\}`)

// fill returns the values of an input. There are none if the input is optional and has no answer, or if an answer is
// missing. There are several only if the input is repeated.
func (b *builder) fill(in input) []value {
	if in.Value == "" {
		r := b.ask(asked{
			Input: in.Input, name: in.name, secret: in.secret, label: in.label, where: in.where, variable: in.variable,
			repeated: in.repeated, flag: in.flag,
			check: func(answer string) string { return in.wrong("", answer, answer) },
		})
		var out []value
		for _, answer := range r.values {
			v := value{text: answer, plain: answer}
			if r.secret && answer != "" {
				v.text, v.secret = b.keep(in, in.secret, answer, r.stored), true
			}
			out = append(out, v)
		}
		return out
	}
	b.constant(in.where, in.Value)
	names := in.used()
	if len(names) == 0 {
		if problem := in.wrong("", "", in.Value); problem != "" {
			b.refuse("%s is fixed by the listing and cannot be used. %s", in.where, problem)
		}
		return []value{{text: in.Value, plain: in.Value}}
	}
	return b.expand(in, names)
}

// wrong returns what is wrong with an answer, or with plain, the whole value that contains it.
func (in input) wrong(variable, answer, plain string) string {
	if in.check != nil && answer != "" {
		if problem := in.check(variable, answer); problem != "" {
			return problem
		}
	}
	if in.whole != nil && plain != "" {
		return in.whole(plain)
	}
	return ""
}

// used returns the declared variables in the value of an input, in their order.
func (in input) used() []string {
	var names []string
	for _, found := range braces.FindAllStringSubmatch(in.Value, -1) {
		if _, declared := in.variables[found[1]]; declared && !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}

// expand returns the values of an input whose variables are replaced by answers. Braces in answers, and around other
// words, are kept.
func (b *builder) expand(in input, names []string) []value {
	replies, count := make(map[string]reply), 1
	for _, name := range names {
		v := in.variables[name]
		v.Required, v.Secret = v.Required || in.Required, v.Secret || in.Secret
		v.Description, v.From = cmp.Or(v.Description, in.Description), cmp.Or(v.From, in.From)
		question := name
		if !plainName.MatchString(name) {
			question = "value"
		}
		if b.names[question] {
			question = in.name + "." + question
		}
		replies[name] = b.ask(asked{
			Input: v, name: question, secret: in.secret + ":" + name, label: name, where: in.where, repeated: in.repeated,
			check: func(answer string) string { return in.wrong(name, answer, "") },
		})
		count = max(count, len(replies[name].values))
	}
	var out []value
	for i := range count {
		answers := make(map[string]string)
		for _, name := range names {
			switch r := replies[name]; {
			case i < len(r.values):
				answers[name] = r.values[i]
			case i == 0: // an answer is missing, or the input is left out
				return nil
			case in.variables[name].Default+in.variables[name].Value != "":
				answers[name] = cmp.Or(in.variables[name].Value, in.variables[name].Default)
			default:
				b.reask(r, in.where, in.where+" is repeated, so this question needs as many answers as the others.")
				return nil
			}
		}
		v, problem := b.insert(in, answers, replies)
		if problem != "" {
			b.reask(replies[names[0]], in.where, problem)
			return nil
		}
		out = append(out, v)
	}
	return out
}

// insert returns the value of an input with these answers for its variables, or what is wrong with that value.
func (b *builder) insert(in input, answers map[string]string, replies map[string]reply) (v value, problem string) {
	replace := func(with func(name, answer string) string) string {
		return braces.ReplaceAllStringFunc(in.Value, func(found string) string {
			name := found[1 : len(found)-1]
			answer, has := answers[name]
			if !has {
				return found
			}
			if in.escape != nil {
				answer = in.escape(name, answer)
			}
			return with(name, answer)
		})
	}
	public := replace(func(name, answer string) string {
		if replies[name].secret {
			return "\x00" // a character that cannot be part of a reference
		}
		return answer
	})
	if refers(public) {
		return v, "The answer must not lead to ${env: or ${secret:."
	}
	v.plain = replace(func(_, answer string) string { return answer })
	if in.whole != nil {
		if problem := in.whole(v.plain); problem != "" {
			return v, problem
		}
	}
	kept := make(map[string]string) // references, by variable
	v.text = replace(func(name, answer string) string {
		if !replies[name].secret {
			return answer
		}
		if kept[name] == "" {
			kept[name] = b.keep(in, in.secret+":"+name, answer, replies[name].stored)
			v.secret = true
		}
		return kept[name]
	})
	return v, ""
}

var notInSecretName = lazyregexp.New(`[^A-Za-z0-9_.:-]+`)

// secretName returns a valid name for a secret.
func secretName(name string) string {
	name = notInSecretName.ReplaceAllString(name, "-")
	return name[:min(len(name), 100)]
}

// numbered returns the name of the nth secret with the same base name.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, n)
}

// keep adds a secret for an input and returns the reference to it. If stored is set, the keychain already has the
// value, and text is ignored.
func (b *builder) keep(in input, name, text string, stored bool) string {
	name = secretName(name)
	free := name
	for n := 2; slices.ContainsFunc(b.plan.Secrets, func(s Secret) bool { return s.Name == free }); n++ {
		free = numbered(name, n)
	}
	s := Secret{Name: free, Reference: launch.Reference(free), Where: in.where, Stored: stored, Visible: in.visible}
	b.plan.Secrets = append(b.plan.Secrets, s)
	if !stored {
		b.plan.values[free] = text
	}
	return s.Reference
}
