package process

// LoginError says why the login shell did not report its environment.
type LoginError struct {
	Shell   string // name of the shell, such as bash
	Why     string // such as "did not answer within 10s"
	Partial bool   // the environment is what the start-up files had set until they failed
}

func (e LoginError) Error() string {
	used := "the PATH of the session is used"
	if e.Partial {
		used = "the PATH that its start-up files had set until then is used"
	}
	return "your login shell " + e.Shell + " " + e.Why + "; " + used
}
