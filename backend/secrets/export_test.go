package secrets

// Weaken lets passphrases take milliseconds. For tests only.
func (v *Vault) Weaken() *Vault {
	v.locker.work = 10
	return v
}
