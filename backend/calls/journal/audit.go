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
			out = append(out, audit.Entry{
				At: r.At, Kind: string(r.Kind), Client: r.Client, Editor: r.Editor, Session: r.Session, Token: r.Token, Road: r.Road,
				Server: r.Server, Tool: r.Tool, ArgumentsSHA256: r.hash, Outcome: string(r.Outcome), Code: r.Code,
				Micros: r.Latency.Microseconds(),
			})
		}
	}
	return out
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

// refusals returns the refused records, without their texts.
func refusals(records []Record) (out []Record) {
	for _, r := range records {
		if r.Outcome == Refused {
			r.Args, r.Response = "", ""
			out = append(out, r)
		}
	}
	return out
}
