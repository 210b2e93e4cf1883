package journal

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
)

// Begin keeps that a request is about to be sent, so that it is recorded even if the hub is killed before Record. The
// fields of r that are known only afterwards are empty. The caller sets Begun of the record to the result. The error
// says why the request cannot be recorded in advance; Record works nevertheless.
func (j *Journal) Begin(r Record, args json.RawMessage, redactor *redact.Redactor) (int64, error) {
	r.Kind = cmp.Or(r.Kind, Call)
	if !audited(r.Kind) {
		return 0, nil
	}
	if r.Tool = safetext.Prefix(r.Tool, maxLabel); r.Kind != Call { // a URI may contain a credential; a tool is one of the server's
		r.Tool = redactor.Name(r.Tool)
	}
	r.Server = safetext.Prefix(r.Server, maxLabel)
	if len(args) <= limitFor(redactor) {
		r.hash = audit.HashOf(args)
	}
	request, err := j.audit.Begin(r.entry())
	if before := j.unbegun.Swap(err != nil); err != nil && !before {
		j.log.Error("could not record that a call begins", "error", err)
	}
	return request, err
}

// NotRecorded replaces the arguments and the result of a request of an earlier hub that restore records.
const NotRecorded = "[not recorded: the hub was killed, or its disk was full]"

// restore records the requests that an earlier hub had sent and not recorded, because it was killed or its disk was full.
func (j *Journal) restore() {
	var left []entry
	for _, e := range j.audit.Left() {
		r := Record{
			At: e.At, Kind: Kind(e.Kind), Client: e.Client, Session: e.Session, Server: e.Server, Tool: e.Tool,
			Outcome: cmp.Or(Outcome(e.Outcome), Unknown), Latency: time.Duration(e.Micros) * time.Microsecond,
			Editor: e.Editor, Token: e.Token, Road: e.Road, Code: e.Code, Unlisted: Kind(e.Kind) != Call && Kind(e.Kind) != Trust,
			Begun: e.Seq, hash: e.ArgumentsSHA256, Args: `"` + NotRecorded + `"`, Response: NotRecorded,
		}
		if r.Outcome == Unknown {
			r.Response = "The hub was killed before it had the result."
		}
		left = append(left, entry{record: r})
	}
	if len(left) > 0 {
		j.log.Warn("recorded the requests that the last hub had sent and not recorded", "count", len(left))
		j.drain(left...)
	}
}
