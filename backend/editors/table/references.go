package table

import "strings"

// referenceStyles is how the value of a variable, an argument or a header
// refers to a variable of the user's environment, by the id of the editor. NAME
// stands for the variable. Editors that are not listed use values as they are.
var referenceStyles = map[string]string{
	"cursor": "${env:NAME}", "vscode": "${env:NAME}", "vscode-insiders": "${env:NAME}", "vscode-server": "${env:NAME}",
	"devin-desktop-windsurf": "${env:NAME}", "mcphub-nvim": "${env:NAME}", "claude-code": "${NAME}", "gemini-cli": "${NAME}",
	"qwen-code": "${NAME}", "copilot-cli": "${NAME}", "kiro": "${NAME}", "augment-auggie": "${NAME}", "factory-droid": "${NAME}",
	"crush": "${NAME}", "opencode": "{env:NAME}", "kilo-code": "{env:NAME}", "continue": "${{ secrets.NAME }}",
}

// defaultStyles is how an editor refers to a variable for which VALUE is used if it is
// not set, by the id of the editor. The others are not documented to have defaults.
var defaultStyles = map[string]string{"claude-code": "${NAME:-VALUE}"}

// DefaultReference is like Reference, for a variable with a default; "" if the
// editor has no defaults.
func (e *Editor) DefaultReference(variable, value string) string {
	return strings.NewReplacer("NAME", variable, "VALUE", value).Replace(defaultStyles[e.ID])
}

// Reference returns how a value in the editor's file refers to a variable of the
// user's environment; "" if the editor uses values as they are.
func (e *Editor) Reference(variable string) string {
	return strings.ReplaceAll(referenceStyles[e.ID], "NAME", variable)
}

// alsoBare are the editors that replace ${NAME} although Reference has another
// spelling or none.
var alsoBare = map[string]bool{"claude-code-plugins": true, "mcphub-nvim": true}

// ExpandsBare reports whether the editor replaces ${NAME}, and not only a spelling
// of its own such as ${env:NAME}. Other editors pass ${NAME} to the program as it is.
func (e *Editor) ExpandsBare() bool { return referenceStyles[e.ID] == "${NAME}" || alsoBare[e.ID] }
