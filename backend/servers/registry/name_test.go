package registry

import "testing"

func TestNamesAreMadeFromAnyText(t *testing.T) {
	for text, want := range map[string]string{
		"größe-日本": "grosse", "Æther Łódź": "AEther-Lodz", "my server__2": "my-server_2", "日本": "", "ﬁles": "files",
		"naïve café": "naive-cafe",
	} {
		if got := NameFrom(text); got != want || got != "" && CheckName(got) != nil {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
