package samename

import "testing"

func TestNamesThatMayBeTakenForEachOtherHaveOneForm(t *testing.T) {
	for _, name := range []string{
		"delete_file", "DELETE_FILE", "Delete_File", " delete_file", "delete_file ", "delete_file\n", "\u00a0delete_file",
		"delete_file\u200b", "\ufeffdelete_file", "delete\u00ad_file", "delete\u2060_file", "delete_file\ufe0f", "delete_\U000e0061file",
		"delete_\u3164file", "delete_\x00file", "ｄelete_file", "ＤＥＬＥＴＥ＿ＦＩＬＥ", "𝐝𝐞𝐥𝐞𝐭𝐞_𝐟𝐢𝐥𝐞", "delete_ﬁle",
	} {
		if got := Fold(name); got != "delete_file" {
			t.Errorf("Fold(%q) = %q", name, got)
		}
	}
	for name, other := range map[string]string{"ΟΔΟΣ": "οδος", "e\u0301tat": "État", "strasse_K": "strasse_\u212a"} {
		if Fold(name) != Fold(other) {
			t.Errorf("%q and %q are %q and %q", name, other, Fold(name), Fold(other))
		}
	}
}

func TestOtherNamesHaveOtherForms(t *testing.T) {
	seen := make(map[string]string)
	for _, name := range []string{
		"", "delete_file", "delete-file", "delete file", "deletefile", "delete_files", "dеlete_file", "état", "etat",
	} {
		if other, twice := seen[Fold(name)]; twice {
			t.Errorf("%q and %q have the same form", name, other)
		}
		seen[Fold(name)] = name
	}
}

func FuzzTheFormOfAFormIsItself(f *testing.F) {
	for _, name := range []string{"Delete_File ", "İ", "ǅ", "\u1e9e", "ﬁ\u200b", "\u0345\u0399", "\u3164 x"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if form := Fold(name); Fold(form) != form {
			t.Errorf("%q has the form %q, which has the form %q", name, form, Fold(form))
		}
	})
}
