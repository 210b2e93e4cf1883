package store

import (
	"database/sql/driver"
	"strings"
	"sync"
	"unicode"

	"modernc.org/sqlite"
)

// registerHolds registers the SQL function holds(text, part), which reports
// whether text contains part, ignoring case; part must be in lower case. It
// runs once, because the driver registers functions for the whole process and
// accepts each name only once.
var registerHolds = sync.OnceValue(func() error {
	return sqlite.RegisterDeterministicScalarFunction("holds", 2,
		func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			text, _ := args[0].(string)
			part, _ := args[1].(string)
			return strings.Contains(strings.ToLower(text), part), nil
		})
})

// addText selects the records that contain a text, ignoring case. For ASCII texts it uses LIKE, which is faster than
// holds but ignores the case of ASCII letters only.
func (f *filter) addText(text string) {
	like := "holds(%, ?)"
	if strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
		text = strings.ToLower(text)
	} else {
		like = `% LIKE ? ESCAPE '\'`
		text = "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
	}
	var terms []string
	for _, column := range []string{"tool", "args", "response"} {
		terms = append(terms, strings.Replace(like, "%", column, 1))
	}
	f.add("("+strings.Join(terms, " OR ")+")", text, text, text)
}
