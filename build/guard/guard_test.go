//go:build guard && linux

package guard

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

var only = flag.String("only", "", "start only the servers whose package matches this regular expression")

func TestTheCommonestServersWorkInGuard(t *testing.T) {
	chosen, err := regexp.Compile(*only)
	if err != nil {
		t.Fatal(err)
	}
	var all []outcome
	for _, s := range servers {
		if chosen.MatchString(s.pack) {
			t.Run(s.pack, func(t *testing.T) {
				o := outcome{server: s}
				defer func() {
					fmt.Println(o)
					all = append(all, o)
				}()
				o.try(t)
			})
		}
	}
	summarize(all)
	if !slices.ContainsFunc(all, func(o outcome) bool { return o.tools > 0 }) {
		t.Error("no server works without a sandbox; the package registries may be unreachable")
	}
}

// outcome says how a server worked.
type outcome struct {
	server     server
	tools      int           // without a sandbox
	off, guard time.Duration // of the second start at these levels
	granted    []string      // what a person had to grant, as in "write ~/files"
	notes      []string      // of the hub about its sandbox
	fault      string        // why it does not work in guard; or, if tools is 0, without a sandbox
}

// try fills the outcome: it starts the server without a sandbox and in guard.
func (o *outcome) try(t *testing.T) {
	h := newHome(t, o.server)
	off, err := h.work()
	if err != nil {
		o.fault = err.Error()
		t.Skip("it does not work without a sandbox either")
	}
	o.tools, o.off = off.tools, off.took
	h.confine()
	confined, err := h.work()
	wanted := h.wanted()
	if err != nil { // what a call was denied is known a moment after it
		_ = programtest.Await(func() (bool, error) { wanted = h.wanted(); return len(wanted.words(h.Dir)) > 0, nil })
	}
	if o.granted = wanted.words(h.Dir); len(o.granted) > 0 {
		h.grant(wanted)
		confined, err = h.work()
	}
	o.guard, o.notes = confined.took, h.state().Sandbox.Notes
	switch more := h.wanted().words(h.Dir); {
	case err != nil:
		o.fault = err.Error()
	case confined.tools != off.tools:
		o.fault = fmt.Sprintf("lists %d tools", confined.tools)
	case confined.answer != off.answer:
		o.fault = fmt.Sprintf("answers %q, and %q without a sandbox", confined.answer, off.answer)
	case len(more) > 0:
		o.fault = "a second question: " + strings.Join(more, ", ")
	}
	if o.fault != "" {
		t.Error(o.fault)
	}
}

// String returns the outcome in one line.
func (o outcome) String() string {
	if o.tools == 0 {
		return fmt.Sprintf("%-60s does not work without a sandbox: %s", o.server.pack, short(o.fault))
	}
	text := fmt.Sprintf("%-60s %3d tools, off %5d ms, guard %5d ms", o.server.pack, o.tools, o.off.Milliseconds(), o.guard.Milliseconds())
	if len(o.granted) > 0 {
		text += ", granted: " + strings.Join(o.granted, ", ")
	}
	for _, note := range o.notes {
		text += ", note: " + short(note)
	}
	if o.fault != "" {
		text += ", FAILED: " + short(o.fault)
	}
	return text
}

// short returns the beginning of a text in one line.
func short(text string) string {
	return fmt.Sprintf("%.150s", strings.Join(strings.Fields(text), " "))
}

// summarize prints how many servers work, and the median by which guard delays their second start.
func summarize(all []outcome) {
	var worked, asked, skipped int
	var extra []time.Duration
	for _, o := range all {
		switch {
		case o.tools == 0:
			skipped++
		case o.fault == "":
			worked++
			extra = append(extra, o.guard-o.off)
			if len(o.granted) > 0 {
				asked++
			}
		}
	}
	fmt.Printf("%d of %d work in guard, %d of them after a question; %d do not work without a sandbox either\n",
		worked, len(all)-skipped, asked, skipped)
	if len(extra) > 0 {
		slices.Sort(extra)
		fmt.Printf("guard adds %d ms to the second start (median)\n", extra[len(extra)/2].Milliseconds())
	}
}
