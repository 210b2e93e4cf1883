package operations

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strconv"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

const (
	defaultAudit = 100
	maxAudit     = 1000
)

// Audit holds the operations on the audit log.
type Audit struct {
	Audit   *audit.Log
	Settle  func(context.Context) error // stores queued entries
	Problem func() journal.Problem      // why entries could not be stored
	Log     *slog.Logger
}

// Routes adds the operations with their handlers to a route table.
func (a *Audit) Routes(t *route.Table) {
	g := t.Group("journal")
	route.Add(g, route.Get("/api/audit", "List entries of the audit log, newest first"), a.list)
	route.Add(g, route.Get("/api/audit/verify", "Check whether entries of the audit log were changed, moved or removed"), a.verify)
	route.Add(g, route.Get("/api/audit/export", "Download entries of the audit log, oldest first, as JSON Lines"), a.export)
}

// AuditFilter selects entries of the audit log.
type AuditFilter struct {
	Client  string `query:"client" doc:"Only entries of the client with this name."`
	Server  string `query:"server" doc:"Only entries of the server with this name."`
	Tool    string `query:"tool" doc:"Only entries of the tool with this name."`
	Outcome string `query:"outcome" doc:"Only entries with this outcome."`
	Since   string `query:"since" doc:"Only entries from this time on: a time in RFC 3339, or a day in the hub's time zone."`
	Until   string `query:"until" doc:"Only entries before this time: a time in RFC 3339, or a day in the hub's time zone, which is included."`
}

func (f *AuditFilter) query() (q audit.Query, err error) {
	q = audit.Query{Client: f.Client, Server: f.Server, Tool: f.Tool, Outcome: f.Outcome}
	if q.Since, err = parseTime("since", f.Since, 0); err != nil {
		return q, err
	}
	q.Until, err = parseTime("until", f.Until, 1)
	return q, err
}

type auditInput struct {
	AuditFilter
	Before string `query:"before" doc:"Only entries whose position is smaller than this one."`
	Limit  string `query:"limit" doc:"Maximum number of entries, from 1 to 1000; 100 by default."`
}

// AuditEntry is an entry of the audit log with its hash.
type AuditEntry struct {
	audit.Entry
	Hash string `json:"hash" doc:"SHA-256 of the entry without this member."`
}

type auditList struct {
	Entries []AuditEntry `json:"entries" nullable:"false"`
}

func (a *Audit) list(ctx context.Context, in *auditInput) (*route.Reply[auditList], error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	q.Newest, q.Limit = true, defaultAudit
	if in.Limit != "" {
		if q.Limit, err = strconv.Atoi(in.Limit); err != nil || q.Limit < 1 || q.Limit > maxAudit {
			return nil, invalidParameter("limit", in.Limit, "a number from 1 to 1000")
		}
	}
	if in.Before != "" {
		if q.Before, err = strconv.ParseInt(in.Before, 10, 64); err != nil || q.Before < 1 {
			return nil, invalidParameter("before", in.Before, "a whole number from 1")
		}
	}
	if err := a.Settle(ctx); err != nil {
		return nil, err
	}
	found, err := a.Audit.Entries(ctx, q)
	if err != nil {
		return nil, err
	}
	out := auditList{make([]AuditEntry, len(found))}
	for i, sealed := range found {
		e, err := sealed.Entry()
		if err != nil {
			e = audit.Entry{Seq: sealed.Seq, At: sealed.At, Note: "this entry cannot be read; verify the audit log"}
		}
		out.Entries[len(found)-1-i] = AuditEntry{e, sealed.Hash}
	}
	return route.OK(out)
}

func (a *Audit) verify(ctx context.Context, _ *struct{}) (*route.Reply[audit.Report], error) {
	if err := a.Settle(ctx); err != nil {
		return nil, err
	}
	report, err := a.Audit.Verify(ctx)
	if err != nil {
		return nil, err
	}
	if p := a.Problem(); p.Err != nil {
		report.Waiting, report.WaitingFor = int64(p.Entries), fault.MessageOf(p.Err)
	}
	return route.OK(report)
}

// export writes the selected entries while it reads them, so that memory does not limit their number.
func (a *Audit) export(ctx context.Context, in *AuditFilter) (*route.Stream, error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	if err := a.Settle(ctx); err != nil {
		return nil, err
	}
	return route.Download("application/jsonl", "agent-discover-audit.jsonl", func(ctx context.Context, w io.Writer) error {
		err := a.writeLines(ctx, q, w)
		if err != nil {
			a.Log.Warn("could not finish the export of the audit log", "error", err)
		}
		return err
	}), nil
}

func (a *Audit) writeLines(ctx context.Context, q audit.Query, to io.Writer) error {
	w := bufio.NewWriter(to)
	for q.Limit = maxAudit; ; {
		page, err := a.Audit.Entries(ctx, q)
		if err != nil {
			return err
		}
		for _, e := range page {
			if _, err := w.WriteString(e.Line() + "\n"); err != nil {
				return err
			}
			q.After = e.Seq
		}
		if len(page) < q.Limit {
			return w.Flush()
		}
	}
}
