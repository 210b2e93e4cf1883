package learning

import (
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

const (
	// shownFor is how long after an answer a call of what it showed counts.
	shownFor = 10 * time.Minute
	// foundFor is the same for what it did not show.
	foundFor = 2 * time.Minute
	// sameMessage is the longest gap between two queries that count as one
	// message of the agent when no call came between them. A client that runs
	// the tool calls of one message in sequence leaves milliseconds between
	// them; a model that reads an answer and asks again takes longer.
	sameMessage = time.Second
	// maxQuestions is how many queries of a session are thought of.
	maxQuestions = 5
	// maxSessions is how many sessions are; a client may open as many as it
	// likes.
	maxSessions = 1_000
)

// asker is a session that has asked.
type asker struct {
	questions []*question // the newest last
	message   int         // of the newest question
	called    bool        // a tool was called for a question of that message
}

// question is a query that a session was answered.
type question struct {
	need
	text    string
	at      time.Time
	message int           // queries of one agent message share this number
	shown   []catalog.Key // the best first

	taught *lesson       // nil before the first success
	failed []catalog.Key // whose failure was counted
}

type lesson struct {
	tool  catalog.Key
	shown bool
}

// Asked records the answers that one find_tool or find_tools request gave to
// a session. The needs of one request always belong to one agent message.
func (l *Learning) Asked(session string, answers ...Answer) {
	if !l.on.Load() {
		return
	}
	var asked []*question
	for _, answer := range answers {
		if text, n := l.read(answer.Query); len(n.words) > 0 {
			asked = append(asked, &question{need: n, text: text, at: l.Now(), shown: slices.Clone(answer.Shown)})
		}
	}
	if len(asked) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.sessions[session]
	if a == nil {
		l.makeRoom()
		a = &asker{}
		l.sessions[session] = a
	}
	if !a.continues(asked[0].at) {
		a.message, a.called = a.message+1, false
	}
	for _, q := range asked {
		q.message = a.message
		a.add(q)
	}
}

// continues reports whether a query at this time belongs to the same agent
// message as the newest one. A tool that was called for that one ends its
// message, however soon the next query comes.
func (a *asker) continues(at time.Time) bool {
	return len(a.questions) > 0 && !a.called && at.Sub(a.newest().at).Abs() < sameMessage
}

// makeRoom drops the session that has asked nothing for longest, when there
// are too many.
func (l *Learning) makeRoom() {
	if len(l.sessions) < maxSessions {
		return
	}
	longest, since := "", time.Time{}
	for id, a := range l.sessions {
		if at := a.newest().at; since.IsZero() || at.Before(since) {
			longest, since = id, at
		}
	}
	delete(l.sessions, longest)
}

func (a *asker) newest() *question { return a.questions[len(a.questions)-1] }

// add takes in a question. The same words asked again are the same question,
// which has its first success only once.
func (a *asker) add(q *question) {
	key := q.key()
	if i := slices.IndexFunc(a.questions, func(o *question) bool { return o.key() == key }); i >= 0 {
		if before := a.questions[i]; q.at.Sub(before.at) <= shownFor {
			q.taught, q.failed = before.taught, before.failed
		}
		a.questions = slices.Delete(a.questions, i, i+1)
	}
	a.questions = append(a.questions, q)
	a.questions = a.questions[max(len(a.questions)-maxQuestions, 0):]
}

// Called hears that a tool answered a call of a session, well or with an
// error. Calls that did not reach the tool are nobody's business.
func (l *Learning) Called(session string, tool catalog.Key, ok bool) {
	if !l.on.Load() {
		return
	}
	now, changed := l.Now(), false
	l.mu.Lock()
	if a := l.sessions[session]; a != nil {
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

// answered returns the questions for which a call counts: the package says
// which these are.
func (a *asker) answered(tool catalog.Key, now time.Time) []*question {
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

// meant is the question for which a tool was called, as far as one can tell.
func (a *asker) meant(tool catalog.Key, now time.Time) *question {
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

// done reports whether a question has had what it showed.
func (q *question) done() bool { return q.taught != nil && q.taught.shown }

// alone reports whether a question did not come with others.
func (a *asker) alone(q *question) bool {
	return !slices.ContainsFunc(a.questions, func(o *question) bool { return o != q && o.message == q.message })
}

// restated reports whether main asks for the same as q, in other words.
func (q *question) restated(main *question, tool catalog.Key, now time.Time, alone bool) bool {
	if slices.Contains(q.shown, tool) {
		return likeness(q.need, main.need) >= minLike
	}
	if now.Sub(q.at) > foundFor || !alone || q.at.After(main.at) {
		return false
	}
	return !opposed(q.deeds, main.deeds) && (len(q.shown) == 0 || common(q.need, main.need) > 0)
}

// succeeded counts the first success for a question.
func (l *Learning) succeeded(q *question, tool catalog.Key, now time.Time) bool {
	shown := slices.Contains(q.shown, tool)
	if q.taught != nil {
		if q.done() || !shown {
			return false
		}
		l.takeBack(q, q.taught.tool)
	}
	q.taught = &lesson{tool, shown}
	p := l.memory.find(q.need, tool)
	if p == nil {
		in, gone := l.memory.put(Pair{ID: l.memory.lastID + 1, Query: q.text, Tool: tool, Times: 1, Last: now}, q.need)
		l.lost(gone)
		l.dirty[in.ID] = true
		return true
	}
	if i := slices.Index(q.failed, tool); i >= 0 { // it only took another try
		q.failed = slices.Delete(q.failed, i, i+1)
		p.Failed--
	}
	p.Times++
	p.Last = now
	p.reckon()
	l.dirty[p.ID] = true
	return true
}

// takeBack uncounts a success.
func (l *Learning) takeBack(q *question, tool catalog.Key) {
	p := l.memory.find(q.need, tool)
	if p == nil {
		return // forgotten meanwhile
	}
	if p.Times--; p.Times == 0 {
		l.lost([]int64{l.memory.drop(p)})
		return
	}
	p.reckon()
	l.dirty[p.ID] = true
}

// failed counts a failure against what was learned, once for a question that
// has had no success yet.
func (l *Learning) failed(q *question, tool catalog.Key) bool {
	p := l.memory.find(q.need, tool)
	if p == nil || q.taught != nil || slices.Contains(q.failed, tool) {
		return false
	}
	q.failed = append(q.failed, tool)
	p.Failed++
	p.reckon()
	l.dirty[p.ID] = true
	return true
}

// lost notes that pairs are in memory no more.
func (l *Learning) lost(ids []int64) {
	for _, id := range ids {
		delete(l.dirty, id)
	}
	l.gone = append(l.gone, ids...)
}
