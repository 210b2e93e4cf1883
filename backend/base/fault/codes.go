package fault

// Codes of errors that programs need to distinguish. Codes has their meanings.
const (
	CodeSignIn         = "sign_in_required"
	CodePerson         = "person_required"
	CodeUnseen         = "question_unseen"
	CodeNoApproval     = "approval_code_required"
	CodeWrongApproval  = "approval_code_wrong"
	CodeConfirm        = "confirmation_required"
	CodeUnapproved     = "server_unapproved"
	CodeServerDisabled = "server_disabled"
	CodeStopped        = "server_stopped"
	CodeDisabled       = "tool_disabled"
	CodeNeedsApproval  = "approval_required"
	CodeHeld           = "tool_held"
	CodeUnlisted       = "not_listed"
	CodeUnknownTool    = "unknown_tool"
	CodeAmbiguous      = "ambiguous_tool"
	CodeDrifted        = "tool_drifted"
	CodeCredential     = "credential_blocked"
	CodeKept           = "result_kept"
	CodeMissingProgram = "missing_program"
	CodeUnstorable     = "secret_unstorable"
	CodeUpToDate       = "up_to_date"
	CodeTooLarge       = "too_large"
	CodeStopping       = "hub_stopping"
)

// Codes maps all codes to their meanings, as clauses for documentation.
var Codes = map[string]string{
	CodeSignIn:         "a person must sign in to the server",
	CodePerson:         "only a person may do this",
	CodeUnseen:         "the server asked a person something, and nobody could see the question",
	CodeNoApproval:     "the approval needs the one-time code that the tray and the dashboard show",
	CodeWrongApproval:  "the one-time code is wrong or has expired",
	CodeConfirm:        "the scan blocks the item, so that approving it needs a confirmation",
	CodeUnapproved:     "the server waits for a person's approval",
	CodeServerDisabled: "a person has disabled the server",
	CodeStopped:        "the server is neither always listed nor running; start it first",
	CodeDisabled:       "the configuration forbids the call",
	CodeNeedsApproval:  "the configuration requires a person's approval of the call",
	CodeHeld:           "the definition of the tool, prompt or resource waits for a person's approval",
	CodeUnlisted:       "the server does not list the tool, prompt or resource",
	CodeUnknownTool:    "no server has a tool of that name",
	CodeAmbiguous:      "several servers have a tool of that name",
	CodeDrifted:        "a tool of the toolset has changed since a person accepted it",
	CodeCredential:     "the arguments contain a credential",
	CodeKept:           "the result is kept back until a person releases it",
	CodeMissingProgram: "the installation needs a program; the plan says how to get it",
	CodeUnstorable:     "credentials of the configuration cannot be stored as secrets now",
	CodeUpToDate:       "no other version exists to compare with",
	CodeTooLarge:       "a document or the request exceeds its limit",
	CodeStopping:       "the hub is stopping and has not carried out the request, which can be sent to the next hub",
}
