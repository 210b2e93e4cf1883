package fault

// Codes of errors that programs need to distinguish.
const (
	CodeSignIn         = "sign_in_required"      // a remote server requires a sign-in
	CodePerson         = "person_required"       // only a person may do this
	CodeConfirm        = "confirmation_required" // the approval of a blocked item was not confirmed
	CodeUnapproved     = "server_unapproved"     // the server waits for a person's approval
	CodeDisabled       = "tool_disabled"         // the configuration forbids the call
	CodeNeedsApproval  = "approval_required"     // the configuration requires a person's approval of the call
	CodeHeld           = "tool_held"             // the definition waits for a person's approval
	CodeUnlisted       = "not_listed"            // the server does not list the tool, prompt or resource of the request
	CodeUnknownTool    = "unknown_tool"          // no server has a tool of that name
	CodeAmbiguous      = "ambiguous_tool"        // several servers have a tool of that name
	CodeDrifted        = "tool_drifted"          // a tool of a toolset has changed since a person accepted it
	CodeCredential     = "credential_blocked"    // the arguments contain a credential
	CodeKept           = "result_kept"           // the hub withholds the result until a person releases it
	CodeMissingProgram = "missing_program"       // the installation needs a program; the plan says how to get it
	CodeUnstorable     = "secret_unstorable"     // credentials of a configuration cannot be stored as secrets now
	CodeUpToDate       = "up_to_date"            // no other version exists to compare with
	CodeTooLarge       = "too_large"             // a document exceeds its limit
)
