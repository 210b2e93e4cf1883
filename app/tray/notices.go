package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// notice is a desktop notification that something waits for the user. It contains only names, because a command line
// or a question may contain credentials.
type notice struct {
	Key     string // a notice replaces the one with the same key
	Summary string
	Body    string
	Command string // executed by a click
	Action  string // label of the action; "" for Open
}

// The keys of notices. Each server whose sign-in has ended has its own notice, whose key ends with the id of the
// server.
const (
	keyApproval = "approval"
	keyQuestion = "question"
	keyHeld     = "held"
	keyPort     = "port"
	keySignIn   = "sign-in "
)

// notifier shows desktop notifications. Its methods may block for a short time.
type notifier interface {
	show(context.Context, notice)
	// hide removes the notification with a key, if it is still shown.
	hide(ctx context.Context, key string)
}

// announcer decides when to notify: once for each server that begins to wait for approval, once for each question,
// when the number of held tools and texts of servers grows, once each time that the sign-in to a server ends, and once when
// the hub does not get its port.
type announcer struct {
	known map[string][]string // names of servers and ids of questions that waited before, by key
	port  bool                // the notice about the port of the hub was shown
	held  int                 // number of tools and texts that were held before
	ended map[int64]bool      // servers whose notice about an ended sign-in was shown; removed when a person signs in
}

// next returns the notices to show for a state, and the keys of those to hide because nothing is waiting any more.
// While no hub is connected, it returns nothing, so that a restart of the hub repeats no notices.
func (a *announcer) next(s state) (show []notice, hide []string) {
	if s.Phase != connected {
		return nil, nil
	}
	if a.known == nil {
		a.known, a.ended = make(map[string][]string), make(map[int64]bool)
	}
	var waiting, asking []string
	for _, v := range s.Servers {
		if !v.Approved {
			waiting = append(waiting, v.Name)
		}
	}
	for _, q := range s.Questions {
		asking = append(asking, q.ID)
	}
	for key, now := range map[string][]string{keyApproval: waiting, keyQuestion: asking} {
		before := a.known[key]
		a.known[key] = now
		switch {
		case slices.ContainsFunc(now, func(id string) bool { return !slices.Contains(before, id) }):
			show = append(show, noticeOf(key, s, now))
		case len(now) == 0 && len(before) > 0:
			hide = append(hide, key)
		}
	}
	switch before := a.held; {
	case s.Held > before:
		show = append(show, notice{
			Key: keyHeld, Summary: plural(s.Held, "tool or text of a server is", "tools or texts of servers are") + " held",
			Body:    "Agents do not get what is new, changed or suspicious before you have read it. Click to review it.",
			Command: commandApprovals,
		})
	case s.Held == 0 && before > 0:
		hide = append(hide, keyHeld)
	}
	a.held = s.Held
	switch {
	case s.lacksPort() && !a.port:
		a.port = true
		show = append(show, notice{
			Key: keyPort, Summary: "The hub does not have its port",
			Body:    fmt.Sprintf("MCP clients may send their tokens to another program on port %d. Click to see what to do.", s.Port.Port),
			Command: commandOpen,
		})
	case s.Port != nil && !s.lacksPort() && a.port:
		a.port = false
		hide = append(hide, keyPort)
	}
	again, signedIn := a.signIns(s.Servers)
	return append(show, again...), append(hide, signedIn...)
}

// signIns returns the notices about sign-ins that have ended, and the keys of those to hide. While the user signs in
// again, the notice stays, and it is not repeated if that fails.
func (a *announcer) signIns(servers []server) (show []notice, hide []string) {
	wanted := make(map[int64]bool)
	for _, v := range servers {
		wanted[v.ID] = v.Approved && v.wantsSignIn()
		if wanted[v.ID] && v.SignIn == "again" && !a.ended[v.ID] {
			a.ended[v.ID] = true
			show = append(show, notice{
				Key: keySignIn + strconv.FormatInt(v.ID, 10), Summary: shownName(v.Name) + " requires you to sign in again",
				Body:    "The sign-in has ended, or the server asks for more permissions. Click to sign in.",
				Command: commandSignIn + strconv.FormatInt(v.ID, 10), Action: "Sign in",
			})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.ended)) {
		if !wanted[id] {
			delete(a.ended, id)
			hide = append(hide, keySignIn+strconv.FormatInt(id, 10))
		}
	}
	return show, hide
}

func noticeOf(key string, s state, waiting []string) notice {
	if key == keyQuestion {
		n := notice{
			Key: key, Summary: plural(len(waiting), "question waits", "questions wait") + " for your answer",
			Body: "A server needs it to go on. Click to answer.", Command: commandOpen,
		}
		if len(waiting) == 1 && s.Questions[0].Approval {
			n.Summary = "A call of " + shownName(s.Questions[0].Server) + " needs your approval"
			n.Body = "It waits until you approve or refuse it. Click to see what would be called."
		} else if len(waiting) == 1 {
			n.Summary = shownName(s.Questions[0].Server) + " asks you a question"
		}
		return n
	}
	n := notice{
		Key: key, Summary: plural(len(waiting), "server waits", "servers wait") + " for your approval",
		Body: "It does not start before you have read what it would run. Click to review it.", Command: commandApprovals,
	}
	if len(waiting) == 1 {
		n.Summary = shownName(waiting[0]) + " waits for your approval"
	} else {
		n.Body = "They do not start before you have read what they would run. Click to review them."
	}
	return n
}

// shownName returns the name of a server on one line, for a notification. An agent may have chosen the name.
func shownName(name string) string {
	return "“" + safetext.Clip(safetext.Label(name), maxLabel) + "”"
}
