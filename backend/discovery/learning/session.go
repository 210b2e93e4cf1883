package learning

import (
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const (
	// shownFor is how long after an answer a call can count for the answered
	// query, if the answer showed the called tool.
	shownFor = 10 * time.Minute
	// foundFor is how long after an answer a call can count for the answered
	// query, if the answer did not show the called tool.
	foundFor = 2 * time.Minute
	// sameMessage is the longest gap between two queries that count as one
	// message of the agent when no call came between them. A client that runs
	// the tool calls of one message in sequence leaves milliseconds between
	// them; a model that reads an answer and asks again takes longer.
	sameMessage = time.Second
	// maxQuestions is the number of recent queries kept per session.
	maxQuestions = 5
	// maxSessions limits the sessions that are kept, because a client may open
	// any number.
	maxSessions = 1_000
)

// session holds the recent queries of an MCP session.
type session struct {
	questions []*question // in the order they were asked
	message   int         // number of the current message of the agent
	called    bool        // a tool was called for a question of that message
}

// question is a query of a session.
type question struct {
	need
	text    string
	at      time.Time
	message int           // queries of one agent message share this number
	shown   []catalog.Key // the best first

	credited *credit       // the success that counts for the query; nil if there is none
	failed   []catalog.Key // tools whose failure was counted
}

// credit is the tool whose success counts for a query.
type credit struct {
	tool  catalog.Key
	shown bool // whether the answer to the query showed the tool
}

// Asked records the answers that one find_tool or find_tools request gave to
// a session. The needs of one request always belong to one agent message.
func (l *Learning) Asked(sessionID string, answers ...Answer) {
	if !l.on.Load() {
		return
	}
	var asked []*question
	for _, answer := range answers {
		if text, n := l.read(answer.Query); len(n.words) > 0 {
			asked = append(asked, &question{need: n, text: text, at: l.now(), shown: slices.Clone(answer.Shown)})
		}
	}
	if len(asked) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.sessions[sessionID]
	if a == nil {
		l.makeRoom()
		a = &session{}
		l.sessions[sessionID] = a
	}
	// Questions belong to one message until a tool is called, or sameMessage has passed.
	if len(a.questions) == 0 || a.called || asked[0].at.Sub(a.newest().at).Abs() >= sameMessage {
		a.message, a.called = a.message+1, false
	}
	for _, q := range asked {
		q.message = a.message
		a.add(q)
	}
}

// makeRoom drops the session that has been without a query for the longest time, if
// maxSessions is reached. The caller holds l.mu.
func (l *Learning) makeRoom() {
	if len(l.sessions) < maxSessions {
		return
	}
	oldest, since := "", time.Time{}
	for id, a := range l.sessions {
		if at := a.newest().at; since.IsZero() || at.Before(since) {
			oldest, since = id, at
		}
	}
	delete(l.sessions, oldest)
}

func (a *session) newest() *question { return a.questions[len(a.questions)-1] }

// add adds a question. It replaces an equal question in the session. If that
// one is at most shownFor old, the new one inherits its success and failures,
// so that a repeated query has only one first success.
func (a *session) add(q *question) {
	key := q.key()
	if i := slices.IndexFunc(a.questions, func(o *question) bool { return o.key() == key }); i >= 0 {
		if before := a.questions[i]; q.at.Sub(before.at) <= shownFor {
			q.credited, q.failed = before.credited, before.failed
		}
		a.questions = slices.Delete(a.questions, i, i+1)
	}
	a.questions = append(a.questions, q)
	a.questions = a.questions[max(len(a.questions)-maxQuestions, 0):]
}

// Called records that a tool answered a call of a session: successfully if ok,
// otherwise with an error. Calls that did not reach the tool must not be
// recorded.
func (l *Learning) Called(sessionID string, tool catalog.Key, ok bool) {
	if !l.on.Load() {
		return
	}
	now, changed := l.now(), false
	l.mu.Lock()
	if a := l.sessions[sessionID]; a != nil {
		for _, q := range a.answered(tool, now) {
			if ok {
				changed = l.succeeded(q, tool, now) || changed
			} else {
				changed = l.failed(q, tool) || changed
			}
		}
	}
	l.mu.Unlock()
	if changed {
		l.wake()
	}
}

// answered returns the questions for which a call counts, by the rules in the
// package comment.
func (a *session) answered(tool catalog.Key, now time.Time) []*question {
	a.questions = slices.DeleteFunc(a.questions, func(q *question) bool { return now.Sub(q.at) > shownFor })
	if len(a.questions) == 0 {
		return nil
	}
	main := a.meant(tool, now)
	if main == nil {
		return nil
	}
	a.called = a.called || main.message == a.message
	out := []*question{main}
	for _, q := range a.questions {
		if q != main && q.message != main.message && q.restated(main, tool, now, a.alone(q)) {
			out = append(out, q)
		}
	}
	return out
}

// meant returns the question for which a tool was most likely called, or nil.
func (a *session) meant(tool catalog.Key, now time.Time) *question {
	var best *question
	place := 0
	for _, q := range a.questions {
		if i := slices.Index(q.shown, tool); i >= 0 && (best == nil || i <= place) {
			best, place = q, i
		}
	}
	if best != nil && !best.done() {
		return best
	}
	if q := a.newest(); !slices.Contains(q.shown, tool) && !q.done() && now.Sub(q.at) <= foundFor && a.alone(q) {
		return q
	}
	return nil
}

// done reports whether a tool that the answer to q showed has been called with
// success.
func (q *question) done() bool { return q.credited != nil && q.credited.shown }

// alone reports whether a question is the only recent one of its message.
func (a *session) alone(q *question) bool {
	return !slices.ContainsFunc(a.questions, func(o *question) bool { return o != q && o.message == q.message })
}

// restated reports whether main asks for the same as q in other words. alone
// reports whether q is the only question of its message.
func (q *question) restated(main *question, tool catalog.Key, now time.Time, alone bool) bool {
	if opposed(q.actions, main.actions) {
		return false
	}
	shared := common(q.need, main.need)
	if slices.Contains(q.shown, tool) {
		return share(shared, len(q.words), len(main.words)) >= minLike
	}
	if now.Sub(q.at) > foundFor || !alone || q.at.After(main.at) {
		return false
	}
	return len(q.shown) == 0 || shared > 0
}

// succeeded counts a successful call of tool for the question q and reports
// whether it counted the call. If a success already counts for q, the call
// replaces it only if the answer to q showed tool and did not show the tool of
// the earlier success. Otherwise, the call is not counted. The caller holds
// l.mu.
func (l *Learning) succeeded(q *question, tool catalog.Key, now time.Time) bool {
	shown := slices.Contains(q.shown, tool)
	if q.credited != nil {
		if q.done() || !shown {
			return false
		}
		l.revoke(q, q.credited.tool)
	}
	q.credited = &credit{tool, shown}
	p := l.memory.find(q.need, tool)
	if p == nil {
		in, dropped := l.memory.put(Pair{ID: l.memory.lastID + 1, Query: q.text, Tool: tool, Times: 1, Last: now}, q.need)
		l.markDeleted(dropped)
		l.dirty[in.ID] = true
		return true
	}
	if i := slices.Index(q.failed, tool); i >= 0 { // the failed call was retried with success
		q.failed = slices.Delete(q.failed, i, i+1)
		p.Failed--
	}
	p.Times++
	p.Last = now
	p.updateConfidence()
	l.dirty[p.ID] = true
	return true
}

// revoke subtracts the success of tool that was counted for the question q. The
// caller holds l.mu.
func (l *Learning) revoke(q *question, tool catalog.Key) {
	p := l.memory.find(q.need, tool)
	if p == nil {
		return // erased meanwhile
	}
	if p.Times--; p.Times == 0 {
		l.markDeleted([]int64{l.memory.drop(p)})
		return
	}
	p.updateConfidence()
	l.dirty[p.ID] = true
}

// failed counts a failed call of tool for the question q and reports whether it
// counted the call. It does so only if the pair of q and tool is already
// learned, no success counts for q, and no failed call of tool was counted for
// q before. The caller holds l.mu.
func (l *Learning) failed(q *question, tool catalog.Key) bool {
	p := l.memory.find(q.need, tool)
	if p == nil || q.credited != nil || slices.Contains(q.failed, tool) {
		return false
	}
	q.failed = append(q.failed, tool)
	p.Failed++
	p.updateConfidence()
	l.dirty[p.ID] = true
	return true
}

// markDeleted schedules the deletion of dropped pairs from the store. The
// caller holds l.mu.
func (l *Learning) markDeleted(ids []int64) {
	for _, id := range ids {
		delete(l.dirty, id)
	}
	l.deleted = append(l.deleted, ids...)
}
