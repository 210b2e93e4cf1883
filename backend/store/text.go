package store

import (
	"database/sql/driver"
	"strings"
	"sync"
	"unicode"

	"modernc.org/sqlite"
)

// registerHolds makes holds(text, part) known to SQLite: whether part, in lower
// case, is somewhere in text in any case. The driver knows functions for all
// connections of the program, and takes each once.
var registerHolds = sync.OnceValue(func() error {
	return sqlite.RegisterDeterministicScalarFunction("holds", 2, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		text, _ := args[0].(string)
		part, _ := args[1].(string)
		return strings.Contains(strings.ToLower(text), part), nil
	})
})

// addText selects what holds a text. LIKE is quick and knows the case of ASCII
// alone, which is enough when the text has nothing else.
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
