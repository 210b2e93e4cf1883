package sandbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
)

// containerRun is the arguments with which the client of an engine runs a container.
type containerRun struct {
	before  []string // up to run
	options []givenOption
	image   string
	command []string // what follows the image
}

// givenOption is an option with its value, which is true or false if it is a flag.
type givenOption struct{ name, value string }

// String returns the only form in which options are handed to an engine. With =, no client can mistake the next argument
// for the value of an option.
func (o givenOption) String() string { return "--" + o.name + "=" + o.value }

// arguments returns the arguments with further options.
func (r containerRun) arguments(added []string) []string {
	out := slices.Concat(r.before, added)
	for _, o := range r.options {
		out = append(out, o.String())
	}
	return append(append(out, r.image), r.command...)
}

// readRun reads the arguments of the client of an engine. It returns why they are forbidden if they have an option that
// runOptions does not have, or do not run a container of an image.
func readRun(args []string) (r containerRun, why string) {
	n, why := beforeRun(args)
	if why != "" {
		return r, why
	}
	r.before = args[:n]
	for ; n < len(args) && len(args[n]) > 1 && args[n][0] == '-'; n++ {
		arg := args[n]
		if arg == "--" {
			n++
			break
		}
		next := ""
		if n+1 < len(args) {
			next = args[n+1]
		}
		found, used, why := readOption(arg, next, n+1 < len(args))
		if why != "" {
			return r, why
		}
		r.options = append(r.options, found...)
		if used {
			n++
		}
	}
	if n >= len(args) {
		return r, "its arguments name no image"
	}
	if r.image, r.command = args[n], args[n+1:]; !image.MatchString(r.image) || transport.MatchString(r.image) {
		return r, fmt.Sprintf("%q is not the name of an image", r.image)
	}
	return r, ""
}

// image matches names of images. podman would read other names, such as dir:/path, as files of the computer.
var (
	image = lazyregexp.New(`^(?:docker://)?[A-Za-z0-9][A-Za-z0-9._-]*(?::[0-9]{1,5}/)?[A-Za-z0-9._/-]*` +
		`(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`)
	transport = lazyregexp.New(`(?i)^(?:dir|docker-archive|docker-daemon|oci|oci-archive|containers-storage|sif|tarball|ostree|atomic):`)
)

var logLevel = lazyregexp.New(`(?i)^(?:trace|debug|info|warn|warning|error|fatal|panic)$`)

// beforeRun returns the number of arguments up to run. Only options that change the log of the client may precede it.
func beforeRun(args []string) (n int, why string) {
	for n := 0; n < len(args); n++ {
		arg := args[n]
		level, isLevel := strings.CutPrefix(arg, "--log-level=")
		if (arg == "-l" || arg == "--log-level") && n+1 < len(args) {
			n++
			level, isLevel = args[n], true
		}
		switch {
		case arg == "run":
			return n + 1, ""
		case arg == "container" && n+1 < len(args) && args[n+1] == "run":
			return n + 2, ""
		case arg == "-D" || arg == "--debug" || isLevel && logLevel.MatchString(level):
		case strings.HasPrefix(arg, "-"):
			name, _, _ := strings.Cut(arg, "=")
			return 0, fmt.Sprintf("the option %s before run changes which engine or configuration the client uses", name)
		default:
			return 0, fmt.Sprintf("the command %s of a container engine cannot be confined, only run can", arg)
		}
	}
	return 0, "its arguments run no container"
}

// readOption reads an argument that begins with -, as the clients of engines do. next is the following argument if
// there is one. used is set if next is the value of an option.
func readOption(arg, next string, more bool) (found []givenOption, used bool, why string) {
	value := func(o *runOption, inline string, isInline bool) string {
		switch {
		case o.flag && !isInline:
			found = append(found, givenOption{o.name, "true"})
		case o.flag:
			on, err := strconv.ParseBool(inline)
			if err != nil {
				return fmt.Sprintf("the option --%s may not have the value %q", o.name, inline)
			}
			found = append(found, givenOption{o.name, strconv.FormatBool(on)})
		case isInline:
			found = append(found, givenOption{o.name, inline})
		case more:
			used, found = true, append(found, givenOption{o.name, next})
		default:
			return fmt.Sprintf("the option --%s has no value", o.name)
		}
		return ""
	}
	if long, ok := strings.CutPrefix(arg, "--"); ok {
		name, inline, isInline := strings.Cut(long, "=")
		o := optionNamed(name)
		if o == nil {
			return nil, false, "the option --" + name + " " + forbidden(name)
		}
		why = value(o, inline, isInline)
		return found, used, why
	}
	for letters := arg[1:]; letters != "" && why == ""; {
		o := optionShort(letters[0])
		if o == nil {
			return nil, false, fmt.Sprintf("the option -%.1s %s", letters, forbidden(shortDangers[letters[0]]))
		}
		rest := letters[1:]
		if inline, ok := strings.CutPrefix(rest, "="); ok {
			return found, used, value(o, inline, true)
		}
		if !o.flag {
			why = value(o, rest, rest != "")
			return found, used, why
		}
		why, letters = value(o, "", false), rest
	}
	return found, used, why
}
