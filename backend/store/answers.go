package store

import (
	"context"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/calls/inspector"
)

// Answers stores the answers to servers' questions that people have chosen to reuse for later questions.
type Answers struct{ db *database }

// Answers implements inspector.AnswerStore.
func (s *Answers) Answers(ctx context.Context) ([]inspector.Remembered, error) {
	rows, err := s.db.read.QueryContext(ctx, "SELECT id, server, launch, mode, question, action, message, content, created_at FROM answers")
	if err != nil {
		return nil, fmt.Errorf("read remembered answers: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []inspector.Remembered
	for rows.Next() {
		r := inspector.Remembered{Scope: inspector.Always}
		var at int64
		if err := rows.Scan(&r.ID, &r.Server, &r.Launch, &r.Mode, &r.Question, &r.Action, &r.Message, &r.Content, &at); err != nil {
			return nil, fmt.Errorf("read remembered answers: %w", err)
		}
		r.At = fromMillis(at)
		out = append(out, r)
	}
	return out, rows.Err()
}

// SaveAnswer implements inspector.AnswerStore.
func (s *Answers) SaveAnswer(ctx context.Context, r inspector.Remembered) error {
	content := r.Content
	if content == nil {
		content = []byte{}
	}
	_, err := s.db.write.ExecContext(ctx,
		`INSERT OR REPLACE INTO answers (id, server, launch, mode, question, action, message, content, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, r.ID, r.Server, r.Launch, string(r.Mode), r.Question, r.Action, r.Message,
		content, r.At.UnixMilli())
	if err != nil {
		return fmt.Errorf("save answer: %w", err)
	}
	return nil
}

// DeleteAnswer implements inspector.AnswerStore.
func (s *Answers) DeleteAnswer(ctx context.Context, id string) (bool, error) {
	result, err := s.db.write.ExecContext(ctx, "DELETE FROM answers WHERE id = ?", id)
	if err != nil {
		return false, fmt.Errorf("delete answer: %w", err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// ForgetAnswers implements inspector.AnswerStore.
func (s *Answers) ForgetAnswers(ctx context.Context, server string) error {
	if _, err := s.db.write.ExecContext(ctx, "DELETE FROM answers WHERE server = ?", server); err != nil {
		return fmt.Errorf("delete answers: %w", err)
	}
	return nil
}
