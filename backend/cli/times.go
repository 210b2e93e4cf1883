package cli

import (
	"regexp"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// ago matches a time span before now, such as 90m, 1h or 7d.
var ago = regexp.MustCompile(`^([0-9]{1,6})(s|m|h|d|w)$`)

var units = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}

const timeHelp = "a span before now such as 30m, 1h or 7d, a day such as 2026-01-31, or RFC 3339"

// timeFlag converts the value of a flag for a time to a form that the API accepts. It
// replaces a span before now with a time in RFC 3339, and returns a date or a time in
// RFC 3339 unchanged.
func timeFlag(flag, value string, now time.Time) (string, error) {
	if span := ago.FindStringSubmatch(value); span != nil {
		n, _ := strconv.Atoi(span[1]) // cannot fail: at most six digits
		return now.Add(-time.Duration(n) * units[span[2]]).UTC().Format(time.RFC3339), nil
	}
	if value != "" {
		_, day := time.Parse(time.DateOnly, value)
		_, instant := time.Parse(time.RFC3339, value)
		if day != nil && instant != nil {
			return "", fault.New(fault.Invalid, "--%s %s: expected %s", flag, value, timeHelp)
		}
	}
	return value, nil
}

// member matches a member of JSON output that holds a time.
var member = regexp.MustCompile(`"(at|since|until|timestamp|last_health_check|[a-z_]+_at)": "([0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})?)"`)

// withUniformTimes returns indented JSON in which all times are in UTC, in the
// format of RFC 3339. The API has several formats, because clients of the original
// product expect them.
func withUniformTimes(text string) string {
	return member.ReplaceAllStringFunc(text, func(found string) string {
		parts := member.FindStringSubmatch(found)
		for _, layout := range []string{time.RFC3339Nano, time.DateTime} {
			if at, err := time.Parse(layout, parts[2]); err == nil {
				return `"` + parts[1] + `": "` + at.UTC().Format("2006-01-02T15:04:05.999Z07:00") + `"`
			}
		}
		return found
	})
}
