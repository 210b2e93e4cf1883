package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"
)

// report collects the results of a run.
type report struct {
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	System  string    `json:"system"`
	CPUs    int       `json:"cpus"`
	Short   bool      `json:"short"`
	Calls   []row     `json:"calls"`
	Figures []figure  `json:"figures"`
}

// figure is a result with its upper limit; 0 for no limit.
type figure struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Target float64 `json:"target,omitempty"`
	OK     bool    `json:"ok"`
	Note   string  `json:"note,omitempty"`
}

func (r *report) add(name string, value float64, unit string, target float64, note string, values ...any) {
	r.Figures = append(r.Figures, figure{
		Name: name, Value: value, Unit: unit, Target: target, OK: target == 0 || value <= target, Note: fmt.Sprintf(note, values...),
	})
}

// addCalls stores and prints a table of calls and adds its figures that have a target.
func (r *report) addCalls(rows []row, ways []*way) {
	r.Calls = append(r.Calls, rows...)
	fmt.Printf("\n%s, %s in both directions, %d calls each way, in turn (ms; CPU per call without the child)\n",
		rows[0].Child, bytesText(rows[0].Bytes), rows[0].Calls)
	columns := newColumns(os.Stdout)
	columns.row("", "min", "median", "p95", "added", "× relay", "hub CPU", "companion CPU", "both")
	for _, row := range rows {
		if row.Ratio == 0 {
			columns.row(row.Way, num(row.Min), num(row.Median), num(row.P95))
			continue
		}
		columns.row(row.Way, num(row.Min), num(row.Median), num(row.P95), num(row.Added), fmt.Sprintf("%.2f", row.Ratio),
			num(row.HubCPU), num(row.CompanionCPU), num(row.HubCPU+row.CompanionCPU))
	}
	columns.flush()
	for i, row := range rows {
		if !ways[i].targets {
			continue
		}
		name := fmt.Sprintf("%s, %s, %s: ", row.Child, bytesText(row.Bytes), row.Way)
		if row.Bytes == 1<<10 {
			r.add(name+"added (minimum)", row.Added, "ms", targetAdded, "")
			r.add(name+"CPU of hub and companion", row.HubCPU+row.CompanionCPU, "ms", targetCPU, "hub %.3f, companion %.3f", row.HubCPU,
				row.CompanionCPU)
		}
		r.add(name+"median, relative to the relay", row.Ratio, "×", targetRatio, "")
	}
}

func (r *report) printFigures(w io.Writer) {
	_, _ = fmt.Fprintf(w, "\nFigures of %s on %s, %d processors\n", r.Version, r.System, r.CPUs)
	columns := newColumns(w)
	columns.row("", "measured", "target", "")
	over := 0
	for _, f := range r.Figures {
		target, verdict := "-", ""
		if f.Target != 0 {
			target, verdict = "≤ "+amount(f.Target, f.Unit), "ok"
			if !f.OK {
				verdict = "over"
				over++
			}
		}
		columns.row(f.Name, amount(f.Value, f.Unit), target, verdict, f.Note)
	}
	columns.flush()
	_, _ = fmt.Fprintf(w, "%d of %d figures are over their target\n", over, len(r.Figures))
}

// columns prints a table with aligned columns.
type columns struct{ w *tabwriter.Writer }

func newColumns(w io.Writer) columns { return columns{tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)} }

func (t columns) row(cells ...string) {
	for _, cell := range cells {
		_, _ = fmt.Fprintf(t.w, "%s\t", cell)
	}
	_, _ = fmt.Fprintln(t.w)
}

func (t columns) flush() { _ = t.w.Flush() }

func num(v float64) string { return fmt.Sprintf("%.3f", v) }

func amount(v float64, unit string) string {
	switch {
	case v == float64(int64(v)):
		return fmt.Sprintf("%.0f %s", v, unit)
	case v < 5:
		return fmt.Sprintf("%.3g %s", v, unit)
	}
	return fmt.Sprintf("%.1f %s", v, unit)
}

func bytesText(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d kB", n>>10)
}
