package plan

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// argumentName matches the name of a named argument, including a trailing equals sign.
var argumentName = lazyregexp.New(`^[-/+]{0,2}[A-Za-z0-9][A-Za-z0-9._:-]*=?$`)

// arguments returns the arguments that a listing passes to a package.
func (b *builder) arguments(list []listing.Argument) []string {
	var out []string
	for _, a := range list {
		if !a.Named {
			out = append(out, b.positional(a)...)
			continue
		}
		if !argumentName.MatchString(a.Name) {
			b.refuse("The argument %s has no valid name.", safetext.Visible(safetext.Clip(a.Name, 100)))
			return nil
		}
		out = append(out, b.named(a)...)
	}
	return out
}

const isOption = "The answer must not begin with a dash: it would be read as an option."

func (b *builder) positional(a listing.Argument) []string {
	name := a.Hint
	if !plainName.MatchString(name) || strings.HasPrefix(name, "-") {
		name = "argument"
	}
	where := "The argument " + name
	if name == "argument" {
		where = "An argument"
	}
	in := argumentInput(a, name, where)
	in.label = prose(a.Hint, 100)
	in.whole = func(plain string) string {
		if strings.HasPrefix(plain, "-") && !strings.HasPrefix(a.Value, "-") {
			return isOption
		}
		return ""
	}
	var out []string
	for _, v := range b.fill(in) {
		out = append(out, v.text)
	}
	return out
}

// named returns a named argument, once for each of its values. As in other clients of listings, the value is the next
// argument, unless the program would take the value for an option or would not expect it there.
func (b *builder) named(a listing.Argument) []string {
	if bare(a) {
		return []string{a.Name}
	}
	name := strings.TrimSuffix(a.Name, "=")
	joined := name != a.Name || a.Format == "boolean" && a.Value == ""
	in := argumentInput(a, name, "The argument "+name)
	in.flag = a.Value == "" && a.Default == "" && len(a.Choices) == 0 && a.Format == "" && !a.Secret && name == a.Name
	in.whole = func(plain string) string {
		if strings.HasPrefix(plain, "-") && !joined && !strings.HasPrefix(name, "--") && !strings.HasPrefix(a.Value, "-") {
			return isOption
		}
		return ""
	}
	var out []string
	for _, v := range b.fill(in) {
		switch {
		case v.plain == "":
			out = append(out, name)
		case joined, strings.HasPrefix(v.plain, "-") && strings.HasPrefix(name, "--"):
			out = append(out, name+"="+v.text)
		default:
			out = append(out, name, v.text)
		}
	}
	return out
}

// bare reports whether a named argument has no value.
func bare(a listing.Argument) bool {
	return a.Value == "" && a.Default == "" && a.Placeholder == "" && a.Format == "" && a.Description == "" &&
		len(a.Choices) == 0 && len(a.Variables) == 0 && !a.Required && !a.Secret && !strings.HasSuffix(a.Name, "=")
}

// argumentInput returns the input for an argument. name is the name of its question.
func argumentInput(a listing.Argument, name, where string) input {
	return input{
		Input: a.Input, variables: a.Variables, name: name, where: where, secret: "argument:" + name, repeated: a.Repeated, visible: true,
	}
}
