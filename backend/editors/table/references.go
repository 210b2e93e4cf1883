package table

import "strings"

// referenceStyles is the syntax of references to variables of the user's environment in the values
// of variables, arguments and headers, by the id of the editor. NAME stands for the variable.
// Editors that are not listed do not expand references.
var referenceStyles = map[string]string{
	"cursor": "${env:NAME}", "vscode": "${env:NAME}", "vscode-insiders": "${env:NAME}", "vscode-server": "${env:NAME}",
	"devin-desktop-windsurf": "${env:NAME}", "mcphub-nvim": "${env:NAME}", "claude-code": "${NAME}", "gemini-cli": "${NAME}",
	"qwen-code": "${NAME}", "copilot-cli": "${NAME}", "kiro": "${NAME}", "augment-auggie": "${NAME}", "factory-droid": "${NAME}",
	"crush": "${NAME}", "opencode": "{env:NAME}", "kilo-code": "{env:NAME}", "continue": "${{ secrets.NAME }}",
}

// defaultStyles is the syntax of a reference to the variable NAME with the default VALUE, by the id
// of the editor. The documentation of other editors mentions no defaults.
var defaultStyles = map[string]string{"claude-code": "${NAME:-VALUE}"}

// DefaultReference is like Reference for a variable with a default value. It
// returns "" if the editor does not support defaults.
func (e *Editor) DefaultReference(variable, value string) string {
	return strings.NewReplacer("NAME", variable, "VALUE", value).Replace(defaultStyles[e.ID])
}

// Reference returns the text by which a value in the editor's file refers to a
// variable of the user's environment. It returns "" if the editor does not expand
// references.
func (e *Editor) Reference(variable string) string {
	return strings.ReplaceAll(referenceStyles[e.ID], "NAME", variable)
}

// alsoBare are the editors that expand ${NAME} although referenceStyles has another syntax or none
// for them.
var alsoBare = map[string]bool{"claude-code-plugins": true, "mcphub-nvim": true}

// ExpandsBare reports whether the editor expands ${NAME}, and not only its own syntax such as
// ${env:NAME}. Other editors pass ${NAME} to the program unchanged.
func (e *Editor) ExpandsBare() bool { return referenceStyles[e.ID] == "${NAME}" || alsoBare[e.ID] }
