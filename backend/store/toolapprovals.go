package store

import (
	"context"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// ToolApprovals stores the tools that a person has approved for all calls.
type ToolApprovals struct{ db *database }

// ToolApprovals implements rules.Store.
func (s *ToolApprovals) ToolApprovals(ctx context.Context) ([]rules.Approval, error) {
	rows, err := s.db.read.QueryContext(ctx, "SELECT server, tool, hash, created_at FROM tool_approvals")
	if err != nil {
		return nil, fmt.Errorf("read approvals of tools: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []rules.Approval
	for rows.Next() {
		var a rules.Approval
		var at int64
		if err := rows.Scan(&a.Tool.Server, &a.Tool.Tool, &a.Hash, &at); err != nil {
			return nil, fmt.Errorf("read approvals of tools: %w", err)
		}
		a.At = fromMillis(at)
		out = append(out, a)
	}
	return out, rows.Err()
}

// SaveToolApproval implements rules.Store.
func (s *ToolApprovals) SaveToolApproval(ctx context.Context, a rules.Approval) error {
	_, err := s.db.write.ExecContext(ctx, "INSERT OR REPLACE INTO tool_approvals (server, tool, hash, created_at) VALUES (?, ?, ?, ?)",
		a.Tool.Server, a.Tool.Tool, a.Hash, a.At.UnixMilli())
	if err != nil {
		return fmt.Errorf("save the approval of a tool: %w", err)
	}
	return nil
}

// DeleteToolApproval implements rules.Store.
func (s *ToolApprovals) DeleteToolApproval(ctx context.Context, tool catalog.Key) error {
	if _, err := s.db.write.ExecContext(ctx, "DELETE FROM tool_approvals WHERE server = ? AND tool = ?",
		tool.Server, tool.Tool); err != nil {
		return fmt.Errorf("delete the approval of a tool: %w", err)
	}
	return nil
}
