package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/store"
)

// copyChoice holds the flags that answer in advance whether to add rows from a copy of the
// database. Without a flag, a person is asked.
type copyChoice struct {
	yes bool // add the rows
	no  bool // add none
}

// supplement adds to the new database next the rows that could not be read from the damaged database and that the
// newest usable copy contains. It does so only if from.yes is set or the person at the terminal agrees.
func (d doctorCommand) supplement(ctx context.Context, next string, from copyChoice, done *repaired) error {
	copied, unusable := store.NewestUsable(ctx, d.p.folder.Database())
	done.Unusable = unusable
	if copied == "" {
		return nil
	}
	added, err := store.AddFromCopy(ctx, next, copied, done.Saved, func(s store.Supplement) (bool, error) {
		if from.yes {
			return true, nil
		}
		offer := fmt.Sprintf("%s, %s, has beside what can be read of the damaged database:\n  %s.\n"+
			"Approvals, remembered answers, links to secrets, tokens of MCP clients and logs are not taken from a copy, so that nothing\n"+
			"that you have revoked comes back. What you have removed since the copy was made may come back.\n",
			copied, copiedWhen(copied, time.Now()), contents(s))
		if n := len(s.Waiting); n > 0 {
			offer += fmt.Sprintf("%s for your approval then.\n", counted(n, "server waits", "servers wait"))
		}
		yes, err := d.p.askPerson(ctx, offer, "Take them from the copy?")
		if errors.Is(err, errNoPerson) {
			return false, usagef("%sNobody can be asked here whether to take them, so nothing was changed; "+
				"to take them, add --yes, and to repair the database without them, add --no-copy", offer)
		}
		return yes, err
	})
	if len(added.Rows) > 0 {
		done.Copy = &added
	}
	return err
}

// maxNames is the largest number of server names that contents lists.
const maxNames = 10

// contents describes the rows that a copy would add.
func contents(s store.Supplement) string {
	var parts []string
	others := 0
	for _, row := range s.Rows {
		i := slices.IndexFunc(rowNames, func(name struct{ table, one, many string }) bool { return name.table == row.Table })
		if i < 0 {
			others += row.Rows
			continue
		}
		part := counted(row.Rows, rowNames[i].one, rowNames[i].many)
		if row.Table == "servers" {
			names := safetext.Visible(strings.Join(s.Servers[:min(len(s.Servers), maxNames)], ", "))
			if len(s.Servers) > maxNames {
				names += ", …"
			}
			part += " (" + names + ")"
		}
		parts = append(parts, part)
	}
	if others > 0 {
		parts = append(parts, counted(others, "other record", "other records"))
	}
	return strings.Join(parts, ", ")
}

// copiedWhen describes how long ago a copy was made.
func copiedWhen(copied string, now time.Time) string {
	info, err := os.Stat(copied)
	if err != nil {
		return "copied at an unknown time"
	}
	switch span := now.Sub(info.ModTime()); {
	case span < time.Minute:
		return "copied just now"
	case span < time.Hour:
		return "copied " + counted(int(span.Minutes()), "minute", "minutes") + " ago"
	case span < 48*time.Hour:
		return "copied " + counted(int(span.Hours()), "hour", "hours") + " ago"
	default:
		return "copied " + ageOf(span) + " ago"
	}
}
