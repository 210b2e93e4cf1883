package process

import "testing"

func TestAListenerIsDescribedWithWhatIsKnown(t *testing.T) {
	for want, l := range map[string]Listener{
		"process 4711, python3, of user alice": {4711, "python3", "alice"},
		"process 4711, python3":                {4711, "python3", ""},
		"process 4711 of user alice":           {4711, "", "alice"},
		"a process of user 1001":               {0, "", "1001"},
		"process 7, a[2Jb, of user alice":      {7, "a\x1b[2Jb", "alice"},
	} {
		if got := l.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAnswersOfOtherSystemsNameTheListener(t *testing.T) {
	if l, ok := ownerInLsof("p4711\ncpython3.11\nLalice\nf3\np4712\ncother\nLbob\n"); !ok ||
		l.String() != "process 4711, python3.11, of user alice" {
		t.Errorf("lsof: %v %v", l, ok)
	}
	if l, ok := ownerInLsof(""); ok {
		t.Errorf("lsof without an answer: %v", l)
	}
	netstat := "\r\nAktive Verbindungen\r\n\r\n  Proto  Lokale Adresse         Remoteadresse          Status           PID\r\n" +
		"  TCP    127.0.0.1:13424        0.0.0.0:0              ABHÖREN         8\r\n" +
		"  TCP    127.0.0.1:3424         127.0.0.1:50000        HERGESTELLT     9\r\n" +
		"  TCP    127.0.0.1:3424         0.0.0.0:0              ABHÖREN         4711\r\n"
	if l, ok := ownerInNetstat(netstat, 3424); !ok || l.String() != "process 4711" {
		t.Errorf("netstat: %v %v", l, ok)
	}
}
