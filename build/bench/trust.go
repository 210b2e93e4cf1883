package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/trust/scan"
)

// Targets for the scan of tools, results and arguments.
const (
	targetScan        = 1  // s of CPU time for manyTools tools
	targetResult      = 3  // ms of CPU time for resultText bytes
	targetCredentials = 50 // µs of CPU time for argumentText bytes
	resultText        = 256 << 10
	argumentText      = 10 << 10
)

// trust measures how long it takes to judge tools, results and arguments.
func (b *bench) trust(context.Context) error {
	servers, err := b.manyServers()
	if err != nil {
		return err
	}
	var listed []scan.Server
	var texts strings.Builder
	for _, tools := range servers {
		if len(tools) == 0 {
			continue
		}
		s := scan.Server{Name: tools[0].Server}
		for _, t := range tools {
			s.Items = append(s.Items, scan.Item{Kind: scan.Tool, Name: t.Name, JSON: t.Definition})
			if texts.Len() < resultText {
				texts.Write(t.Definition)
				texts.WriteByte('\n')
			}
		}
		listed = append(listed, s)
	}
	if texts.Len() < resultText {
		return errors.New("the tools have too little text for a result")
	}
	var scans []time.Duration
	for range b.pick(3, 8) {
		scans = append(scans, busy(func() {
			for _, s := range listed {
				scan.Scan(s, nil, scan.Options{})
			}
		}))
	}
	b.report.add(fmt.Sprintf("trust: %d tools by rules", manyTools), least(scans).Seconds(), "s", targetScan, "CPU time, best of %d",
		len(scans))

	result, arguments := texts.String()[:resultText], []byte(texts.String()[:argumentText])
	const times = 20 // the clock of CPU time is coarse
	var results, credentials []time.Duration
	for range b.pick(3, 8) {
		results = append(results, busy(func() {
			for range times {
				scan.Text(result)
			}
		})/times)
		credentials = append(credentials, busy(func() {
			for range 50 * times {
				scan.Credentials(arguments)
			}
		})/(50*times))
	}
	b.report.add("trust: 256 kB of a result", ms(least(results)), "ms", targetResult, "CPU time, best of %d", len(results))
	b.report.add("trust: credentials in 10 kB", ms(least(credentials))*1000, "µs", targetCredentials, "CPU time, best of %d",
		len(credentials))
	return nil
}
