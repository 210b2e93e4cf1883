package quarantine

import (
	"cmp"
	"context"
	"slices"
)

// closer is added to Item.Scanned when the Classifier has judged the item in addition to the Scanner.
const closer = "+classifier"

// classifierRule is the rule of the findings with which the Classifier raises a verdict.
const classifierRule = "classifier"

// unjudged reports whether there is a listed item that this version of the scan has not judged.
func (f *file) unjudged(version string) bool {
	for _, item := range f.items {
		if item.Listed && item.Scanned != version && item.Scanned != version+closer {
			return true
		}
	}
	return false
}

// unclassified reports whether there is a listed item that the Classifier has to judge.
func (f *file) unclassified(o Options) bool {
	version := o.Scanner.Version()
	for _, item := range f.items {
		if o.Classifier != nil && item.Listed && item.Scanned == version {
			return true
		}
	}
	return false
}

// judge judges all listed items. It returns the kinds of the items whose verdict has changed, except for the kind
// besides. It runs the Classifier at once if items may be approved without a person: if an agent proposed the server,
// or with Rules.Quiet. Otherwise Run does that later.
func (k *Keeper) judge(ctx context.Context, f *file, besides Kind) (affected []Kind, err error) {
	listed, texts := f.texts()
	verdicts := make([]Verdict, len(listed))
	for i, item := range listed {
		verdicts[i] = item.Verdict
	}
	if k.options.Classifier != nil && (f.configured.ProposedBy != "" || k.options.Rules().Quiet) {
		judgements, err := k.options.Classifier.Classify(ctx, f.Name, texts)
		if err != nil {
			return nil, err
		}
		for i, item := range listed {
			f.judged(item, judgements[i], k.options.Scanner.Version()+closer)
		}
	} else {
		for i, j := range k.options.Scanner.Scan(f.Name, texts) {
			f.scanned(listed[i], j, k.options.Scanner.Version())
		}
	}
	for i, item := range listed {
		if item.Verdict != verdicts[i] && item.Kind != besides && !slices.Contains(affected, item.Kind) {
			affected = append(affected, item.Kind)
		}
	}
	return affected, nil
}

// texts returns the listed items in the order of the lists, and their latest definitions.
func (f *file) texts() (listed []*Item, texts []Text) {
	for _, item := range f.items {
		if item.Listed {
			listed = append(listed, item)
		}
	}
	slices.SortFunc(listed, func(a, b *Item) int {
		return cmp.Or(slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind), a.Position-b.Position)
	})
	texts = make([]Text, len(listed))
	for i, item := range listed {
		texts[i] = Text{item.Kind, item.Name, item.Latest}
	}
	return listed, texts
}

// scanned records the Scanner's judgement of an item. The Classifier's judgement of the same
// definition stays if the Scanner's has not changed. A verdict that the Classifier has raised is
// not lowered until the Classifier has judged the item again.
func (f *file) scanned(item *Item, j Judgement, version string) {
	if item.Scanned != version+closer {
		f.judged(item, j, version)
		return
	}
	raised := slices.ContainsFunc(item.Findings, func(f Finding) bool { return f.Rule == classifierRule })
	switch {
	case raised && j.Verdict <= item.Verdict:
		item.Scanned = version
		f.changed[item] = true
	case raised || j.Verdict != item.Verdict || j.Points != item.Points:
		f.judged(item, j, version)
	}
}

// judged replaces the judgement of an item.
func (f *file) judged(item *Item, j Judgement, scanned string) {
	if item.Scanned != scanned || item.Verdict != j.Verdict || item.Points != j.Points || len(item.Findings) != len(j.Findings) {
		f.changed[item] = true
	}
	item.Judgement, item.Scanned = j, scanned
}

// classifySoon makes Run classify the items of a server, if there are any to classify.
func (k *Keeper) classifySoon(f *file) {
	if !f.unclassified(k.options) {
		return
	}
	select {
	case k.closely <- f.Name:
	default: // the server is classified when it lists its items again, or the hub starts again
		k.options.Log.Warn("could not queue the items of a server for the classifier", "server", f.Name)
	}
}

// classifyLater classifies the items of the servers in the queue until ctx ends.
func (k *Keeper) classifyLater(ctx context.Context) error {
	for {
		select {
		case server := <-k.closely:
			affected, err := k.classify(ctx, server)
			if err != nil && ctx.Err() == nil {
				k.options.Log.Warn("could not classify the items of a server", "server", server, "error", err)
			}
			for _, kind := range affected {
				k.reapply(ctx, server, kind)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// classify runs the Classifier for the listed items of a server, and decides about them again.
// It returns the kinds of those whose state has changed. It holds no lock while the Classifier
// works, and skips items whose definitions change meanwhile.
func (k *Keeper) classify(ctx context.Context, server string) ([]Kind, error) {
	listed, texts, err := k.toClassify(ctx, server)
	if err != nil || len(listed) == 0 {
		return nil, err
	}
	judgements, err := k.options.Classifier.Classify(ctx, server, texts)
	if err != nil {
		return nil, err
	}
	k.writing.Lock()
	defer k.writing.Unlock()
	if k.view.Load().servers[server] == nil {
		return nil, nil // the server was removed meanwhile
	}
	f, err := k.open(ctx, server)
	if err != nil {
		return nil, err
	}
	version := k.options.Scanner.Version()
	for i, was := range listed {
		item := f.items[key{was.Kind, was.Name}]
		if item != nil && item.Listed && item.Hash == was.Hash && item.Scanned == version {
			f.judged(item, judgements[i], version+closer)
		}
	}
	return k.redecide(ctx, f)
}

// toClassify returns the listed items of a server with their definitions, or none if the
// Classifier has judged them all.
func (k *Keeper) toClassify(ctx context.Context, server string) ([]*Item, []Text, error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	if k.view.Load().servers[server] == nil {
		return nil, nil, nil
	}
	f, err := k.open(ctx, server)
	if err != nil || !f.unclassified(k.options) {
		return nil, nil, err
	}
	listed, texts := f.texts()
	return listed, texts, nil
}
