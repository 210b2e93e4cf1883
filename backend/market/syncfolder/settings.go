package syncfolder

import "github.com/agent-discover/agent-discover/backend/base/settings"

// replaceSettings changes the settings file, or in a dry run only checks that it could.
func (r *run) replaceSettings(set map[string]any, removed []string) error {
	data, err := r.options.Settings.Read()
	if err != nil {
		return err
	}
	if data, err = settings.WithShared(data, set, removed); err != nil {
		return err
	}
	if err := r.options.Settings.Check(data); err != nil || r.DryRun {
		return err
	}
	_, err = r.options.Settings.Replace(data)
	return err
}
