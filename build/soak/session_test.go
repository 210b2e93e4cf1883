//go:build linux

package soak

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"
)

// session opens a session, makes calls, a few at a time, and ends. Some sessions end as if their editor were
// killed.
func (s *soak) session(name string, random *rand.Rand, end time.Time) {
	c, err := s.connect(random.IntN(len(transports)))
	if err != nil {
		s.report("session %s: %v", name, err)
		return
	}
	calls, killed := 20+random.IntN(200), random.IntN(4) == 0
	var inFlight sync.WaitGroup
	defer func() {
		if killed {
			c.end()
		}
		inFlight.Wait()
		if !killed {
			c.stop()
		}
	}()
	slots := make(chan struct{}, 1+random.IntN(4))
	for n := 0; n < calls && time.Now().Before(end); n++ {
		server := s.servers[random.IntN(len(s.servers))]
		act, pause, cancels := server.pick(random), time.Duration(random.IntN(20))*time.Millisecond, random.IntN(2) == 0
		slots <- struct{}{}
		inFlight.Go(func() {
			s.call(c, server, call{Value: fmt.Sprintf("call-%s-%d", name, n), Act: act.name}, act, cancels)
			<-slots
		})
		if n%50 == 49 {
			s.list(c)
		}
		<-time.After(pause) // so that the servers get most of the processor time
	}
}

// transports are the ways in which sessions reach the hub. Half of the sessions use a companion.
var transports = []string{"companion", "companion", "HTTP", "HTTP, modern"}

func (s *soak) connect(transport int) (*client, error) {
	if transports[transport] == "companion" {
		return connectPipe(s.folder, s.report)
	}
	return connectWeb(s.info, transports[transport] == "HTTP, modern", s.report)
}

// list lists the tools and reports a failure, because the list must always succeed.
func (s *soak) list(c *client) {
	a, err := c.ask("tools/list", `{}`)
	if err != nil || a.Error != nil {
		s.report("tools/list: %v %+v", err, a.Error)
	}
}

// call calls a server and checks the answer.
func (s *soak) call(c *client, server server, arguments call, act act, cancels bool) {
	s.note(arguments.Value, act.name)
	c.owns(arguments.Value)
	a, err := s.ask(c, server, arguments, act, cancels)
	if err == errCancelled {
		return
	}
	what := fmt.Sprintf("%s (%s at %s)", arguments.Value, act.name, server.name)
	switch {
	case err != nil:
		s.reportUnlessKilled(err, what)
	case a.Error != nil:
		s.failed(server, act, arguments.Value, what, fmt.Sprintf("%d %s", a.Error.Code, a.Error.Message))
	case a.Result == nil || len(a.Result.Content) != 1:
		s.report("%s: an answer without one text: %+v", what, a)
	case a.Result.IsError:
		s.failed(server, act, arguments.Value, what, a.Result.Content[0].Text)
	case act.silent:
		s.report("%s: answered without an answer of the server: %.200s", what, a.Result.Content[0].Text)
	case a.Result.Content[0].Text != answerOf(server.name, arguments):
		s.report("%s: wrong answer: %.200s", what, a.Result.Content[0].Text)
	default:
		s.succeeded(arguments.Value)
	}
}

// errCancelled is the error of calls that the client has cancelled.
var errCancelled = errors.New("the call was cancelled")

// ask makes a call and answers the questions of a modern server. If cancels is set, it cancels a call that gets no
// answer.
func (s *soak) ask(c *client, server server, arguments call, act act, cancels bool) (answer, error) {
	for again := new(retry); ; {
		id, answered, err := c.start("tools/call", func(id string) string { return paramsOf(server, arguments, id, *again) })
		if err != nil {
			return answer{}, err
		}
		if act.silent && cancels {
			<-time.After(20 * time.Millisecond)
			return answer{}, cmp.Or(c.cancel(id), errCancelled)
		}
		a, err := c.await(id, arguments.Value+" "+act.name+" at "+server.name, answered)
		if err != nil {
			return answer{}, err
		}
		if again = c.retryOf(a); again == nil {
			return a, nil
		}
	}
}

// paramsOf returns the params of a call, whose progress token is the id of the request.
func paramsOf(server server, arguments call, id string, again retry) string {
	params := struct {
		Name      string            `json:"name"`
		Arguments call              `json:"arguments"`
		Meta      map[string]string `json:"_meta"`
		retry
	}{server.name + "__call", arguments, map[string]string{"progressToken": id}, again}
	raw, _ := json.Marshal(params) // encoding strings cannot fail
	return string(raw)
}

// reportUnlessKilled reports an error, unless it is nil or the client was killed.
func (s *soak) reportUnlessKilled(err error, what string) {
	if err != nil && !errors.Is(err, errKilled) {
		s.report("%s: %v", what, err)
	}
}

func (s *soak) note(value, act string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[value] = false
	s.acts[act]++
}

func (s *soak) succeeded(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[value] = true
}

// ranNothing is part of the error of a call that the server did not execute: the HTTP session had ended, and so had
// the session of a second attempt.
const ranNothing = "the server ran nothing"

// failed counts a failed call. It reports the call unless the act or the server may make calls fail, or the server
// did not execute it.
func (s *soak) failed(server server, act act, value, what, why string) {
	s.mu.Lock()
	s.failures[server.role.name]++
	untouched := server.remote && strings.Contains(why, ranNothing)
	if untouched {
		s.untouched = append(s.untouched, value)
	}
	s.mu.Unlock()
	if !act.fails && !server.unsure && !untouched {
		s.report("%s failed: %.400s", what, why)
	}
}

// checkExecutions compares what the servers have executed with the answers: no call may have run twice, and each that
// succeeded must have run.
func (s *soak) checkExecutions() {
	ran := make(map[string]int)
	for _, server := range s.servers {
		data, err := os.ReadFile(s.ranFile(server.name))
		if err != nil {
			s.report("%v", err)
		}
		for value := range strings.Lines(string(data)) {
			ran[strings.TrimSuffix(value, "\n")]++
		}
	}
	for value, n := range ran {
		if _, made := s.calls[value]; !made || n > 1 {
			s.report("call %s: made %t, executed %d times", value, made, n)
		}
	}
	for _, value := range s.untouched {
		if ran[value] != 0 {
			s.report("call %s failed because %s, but was executed", value, ranNothing)
		}
	}
	for value, ok := range s.calls {
		if ok && ran[value] != 1 {
			s.report("call %s succeeded and was executed %d times", value, ran[value])
		}
	}
}
