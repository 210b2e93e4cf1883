package journal

import (
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/audit"
)

// entries returns the entries of the audit log for records: one for each audited record, and one that counts the
// records that were dropped before.
func (j *Journal) entries(records []Record) []audit.Entry {
	if j.audit == nil {
		return nil
	}
	var out []audit.Entry
	if j.unaudited > 0 {
		out = append(out, audit.Entry{At: time.Now(), Kind: audit.Lost, Count: int64(j.unaudited)})
	}
	for _, r := range records {
		if audited(r.Kind) {
			out = append(out, r.entry())
		}
	}
	return out
}

// entry returns the entry of the audit log for a record.
func (r Record) entry() audit.Entry {
	return audit.Entry{
		At: r.At, Kind: string(r.Kind), Client: r.Client, Editor: r.Editor, Session: r.Session, Token: r.Token, Road: r.Road,
		Server: r.Server, Tool: r.Tool, ArgumentsSHA256: r.hash, Outcome: string(r.Outcome), Code: r.Code,
		Micros: r.Latency.Microseconds(),
	}
}

// audited reports whether each record of a kind gets an entry in the audit log.
func audited(k Kind) bool { return k == Call || k == ResourceRead || k == PromptGet || k == Trust }

// listed returns the records that are not Unlisted.
func listed(records []Record) []Record {
	out := make([]Record, 0, len(records))
	for _, r := range records {
		if !r.Unlisted {
			out = append(out, r)
		}
	}
	return out
}

// countAudited returns how many of the records get an entry in the audit log.
func countAudited(records []Record) (n int) {
	for _, r := range records {
		if audited(r.Kind) {
			n++
		}
	}
	return n
}

// refusals returns the refused records, without their texts, and the others.
func refusals(records []Record) (refused, others []Record) {
	for _, r := range records {
		if r.Outcome != Refused {
			others = append(others, r)
			continue
		}
		r.Args, r.Response = "", ""
		refused = append(refused, r)
	}
	return refused, others
}
