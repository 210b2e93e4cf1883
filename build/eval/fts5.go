package main

import (
	"context"
	"database/sql"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

// fts5 searches with SQLite FTS5 as agent-discover 1.4 does: all words of the
// query as prefixes joined by OR, with names weighted four times as much as
// descriptions.
type fts5 struct {
	db  *sql.DB
	ids []string
}

func newFTS5(tools []eval.Tool) (*fts5, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection would open a database of its own
	e := &fts5{db: db}
	if err := e.fill(tools); err != nil {
		_ = db.Close()
		return nil, err
	}
	return e, nil
}

func (e *fts5) fill(tools []eval.Tool) error {
	if _, err := e.db.Exec(`CREATE VIRTUAL TABLE tools USING fts5(name, description, tokenize='unicode61 remove_diacritics 1')`); err != nil {
		return err
	}
	tx, err := e.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for i, t := range tools {
		if _, err := tx.Exec(`INSERT INTO tools(rowid, name, description) VALUES(?, ?, ?)`, i, t.Name, t.Description); err != nil {
			return err
		}
		e.ids = append(e.ids, t.ID)
	}
	return tx.Commit()
}

// Rank implements eval.Engine.
func (e *fts5) Rank(_ context.Context, query string, limit int) (eval.Answer, error) {
	began := time.Now()
	match := expression(query)
	answer := eval.Answer{Found: true}
	if match == "" {
		return answer, nil
	}
	rows, err := e.db.Query(`SELECT rowid, -bm25(tools, 4, 1) FROM tools WHERE tools MATCH ? ORDER BY bm25(tools, 4, 1) LIMIT ?`,
		match, limit)
	if err != nil {
		return answer, err
	}
	defer rows.Close()
	for rows.Next() {
		var row int
		var score float64
		if err := rows.Scan(&row, &score); err != nil {
			return answer, err
		}
		answer.Hits = append(answer.Hits, eval.Hit{ID: e.ids[row], Score: score})
	}
	answer.Took = time.Since(began)
	return answer, rows.Err()
}

// expression returns the query in FTS5 syntax; empty if it contains no words.
func expression(query string) string {
	var terms []string
	for _, word := range words(query) {
		terms = append(terms, `"`+word+`"*`)
	}
	return strings.Join(terms, " OR ")
}
