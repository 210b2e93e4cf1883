package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/trust/classifier"
	"github.com/agent-discover/agent-discover/backend/trust/evaluation"
	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

// scanFlags holds the flags of trust scan.
type scanFlags struct {
	cases, out string
	rules      bool // leave out the classifier
}

// caseVerdict is a line of the output of trust scan.
type caseVerdict struct {
	ID      string       `json:"id"`
	Verdict scan.Verdict `json:"verdict"`
}

// scanSummary counts the verdicts of trust scan.
type scanSummary struct {
	Cases, Blocked, Warned int
}

// scan returns the command trust scan, which judges the tools in a file. The command needs no hub and does not start
// one.
func (c trustCommands) scan() *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use: "scan", Short: "Judge tools in a file, without a hub", Args: cobra.NoArgs,
		Long: `Judge tools that are in a file. The configured servers and the hub are neither used
nor changed.

The file contains one JSON object per line: id, server, and tools with name,
description and inputSchema, as a server lists them. Optional are siblings (names of
the server's other tools) and peers (other servers with their tools).

Each line of the output has the id and a verdict, the highest of the tools: block,
warn or none.`,
		Example: "  agent-discover trust scan --cases tools.jsonl --out verdicts.jsonl",
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.judge(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.cases, "cases", "", "`FILE` with the tools")
	cmd.Flags().StringVar(&f.out, "out", "", "write the verdicts to `FILE` (default: standard output)")
	cmd.Flags().BoolVar(&f.rules, "rules", false, "apply only the rules, without the classifier, which takes longer")
	_ = cmd.MarkFlagRequired("cases") // cannot fail: the flag is defined above
	return cmd
}

func (c trustCommands) judge(ctx context.Context, f scanFlags) (err error) {
	in, err := os.Open(f.cases)
	if err != nil {
		return fault.Wrap(err, fault.NotFound, "could not read %s: %s", f.cases, reasonOf(err))
	}
	defer func() { _ = in.Close() }()
	to := io.Writer(c.p.out)
	if f.out != "" {
		file, err := os.Create(f.out)
		if err != nil {
			return fault.Wrap(err, fault.Failed, "could not write %s: %s", f.out, reasonOf(err))
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		to = file
	}
	buffer := bufio.NewWriter(to)
	lines := json.NewEncoder(buffer)
	var sum scanSummary
	judge := evaluation.Judge(evaluation.Rules)
	if !f.rules {
		judge = evaluation.Classifier(ctx, classifier.NewVectors(minilm.New(), 0))
	}
	err = evaluation.Read(in, func(one evaluation.Case) error {
		results, err := judge(one.Judged())
		if err != nil {
			return err
		}
		line := caseVerdict{one.ID, evaluation.Worst(results)}
		sum.add(&line)
		if sum.Cases%caseStep == 0 {
			_, _ = fmt.Fprintf(c.p.err, "%d cases judged\n", sum.Cases)
		}
		return lines.Encode(line)
	})
	if err = errors.Join(err, buffer.Flush()); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(c.p.err, "%s judged: %d blocked, %d warned about\n", counted(sum.Cases, "case", "cases"), sum.Blocked, sum.Warned)
	return nil
}

// caseStep is the number of cases after which progress is reported.
const caseStep = 1000

// add counts the verdict of a line. It changes the verdict Note to None, because the output does
// not contain Note.
func (s *scanSummary) add(line *caseVerdict) {
	s.Cases++
	switch line.Verdict {
	case scan.Block:
		s.Blocked++
	case scan.Warn:
		s.Warned++
	case scan.Note:
		line.Verdict = scan.None
	}
}

// reasonOf returns why a file cannot be opened.
func reasonOf(err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err
	}
	return err
}
