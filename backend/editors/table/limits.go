package table

import (
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// limitField is a field of an entry with a time limit.
type limitField struct {
	key   string
	unit  time.Duration // of a number; 0 for milliseconds from 1000 on, and seconds below
	start bool          // the limit is one for the start, not for calls
}

// limitFields are the fields with time limits in entries of all editors. If an entry has several for the same limit, the
// first of them counts.
var limitFields = []limitField{
	{"start_timeout", 0, true},
	{"startup_timeout_sec", time.Second, true},
	{"startup_timeout_ms", time.Millisecond, true},
	{"initTimeout", 0, true},
	{"connectTimeout", 0, true},
	{"connectionTimeout", 0, true},
	{"call_timeout", 0, false},
	{"tool_timeout_sec", time.Second, false},
	{"timeoutSec", time.Second, false},
	{"timeoutMs", time.Millisecond, false},
	{"timeout", 0, false},
	{"requestTimeout", 0, false},
}

// timeouts says what the field timeout means in shapes that define it. In other shapes it is as in limitFields.
var timeouts = map[string]limitField{
	"cline": {unit: time.Second}, "roo": {unit: time.Second}, "goose": {unit: time.Second}, "zed": {unit: time.Second},
	"gemini": {unit: time.Millisecond}, "copilot-cli": {unit: time.Millisecond}, "librechat": {unit: time.Millisecond},
	"opencode": {unit: time.Millisecond, start: true},
}

// Limits returns the time limits of an entry in a shape, or in an unknown shape if it is "". read are the fields with
// possible limits.
func Limits(shape string, fields map[string]any) (limits registry.Timeouts, read []string) {
	for _, f := range limitFields {
		if one, ok := timeouts[shape]; ok && f.key == "timeout" {
			f.unit, f.start = one.unit, one.start
		}
		limit := f.limit(fields[f.key])
		if limit == 0 {
			continue
		}
		read = append(read, f.key)
		to := &limits.Call
		if f.start {
			to = &limits.Start
		}
		if *to == 0 {
			*to = limit
		}
	}
	return limits, read
}

// limit returns the limit that a value of the field means, and 0 if it means none.
func (f limitField) limit(value any) time.Duration {
	text, _ := scalar(value)
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		limit, _ := registry.ParseTimeout(text)
		return limit
	}
	unit := f.unit
	switch {
	case unit == 0 && number >= 1000:
		unit = time.Millisecond
	case unit == 0:
		unit = time.Second
	}
	limit, err := registry.ParseTimeout(strconv.FormatInt(int64(number*float64(unit/time.Millisecond)), 10) + "ms")
	if err != nil || strings.HasPrefix(text, "-") {
		return 0
	}
	return limit
}

// startLimit and callLimit write a time limit of a server as a number of units, rounded up.
func startLimit(key string, unit time.Duration) part {
	return limitPart("start", key, unit, func(t registry.Timeouts) time.Duration { return t.Start })
}

func callLimit(key string, unit time.Duration) part {
	return limitPart("call", key, unit, func(t registry.Timeouts) time.Duration { return t.Call })
}

func limitPart(holds, key string, unit time.Duration, of func(registry.Timeouts) time.Duration) part {
	return part{holds: holds, field: func(_ string, s Server) configedit.Field {
		limit := of(s.Timeouts)
		if limit == 0 {
			return configedit.Field{}
		}
		return configedit.Field{Key: key, Value: int64((limit + unit - 1) / unit)}
	}}
}

// LeftOut returns which time limits of a server Spell leaves out, because the shape has no field for them: start, call
// or both.
func LeftOut(shape string, s Server) (limits []string) {
	parts, _ := partsOf(shape, s.Transport) // Spell returns the error
	holds := make(map[string]bool)
	for _, p := range parts {
		holds[p.holds] = true
	}
	if s.Timeouts.Start > 0 && !holds["start"] {
		limits = append(limits, "start")
	}
	if s.Timeouts.Call > 0 && !holds["call"] {
		limits = append(limits, "call")
	}
	return limits
}

// These parts write the time limits of several shapes.
var (
	milliseconds      = callLimit("timeout", time.Millisecond)
	seconds           = callLimit("timeout", time.Second)
	startMilliseconds = startLimit("timeout", time.Millisecond)
	startupSec        = startLimit("startup_timeout_sec", time.Second)
	toolSec           = callLimit("tool_timeout_sec", time.Second)
	initTimeout       = startLimit("initTimeout", time.Millisecond)
	connectionTimeout = startLimit("connectionTimeout", time.Millisecond)
)
