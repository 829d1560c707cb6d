package tableset

import (
	"context"
	"errors"
	"slices"
)

// VerifyExtractsOfLogs is VerifyExtracts for extracts of several logs whose keys are in o.Log. It
// compares the extracts of each log with each other and reports all tables together
// (docs/spec/67-logs.md, 67.1.4). With several logs, o.Against and o.Believed must be empty, since
// they are of one log.
func VerifyExtractsOfLogs(ctx context.Context, names []string, open ExtractOpener, o AgainstOptions) (*Report, error) {
	groups := byOrigin(ctx, names, open, o)
	if len(groups) > 1 && len(o.Against)+len(o.Believed) > 0 {
		return nil, errors.New("the bundles are of several logs: compare those of one log at a time with it, or with what was believed of it")
	}
	keys := new(CardKeys)
	o.Step = keys.WatchSteps(o.Step)
	var all *Report
	for _, group := range groups {
		t, err := verifyTables(ctx, group, open, o)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = t
		} else {
			all.JoinLog(t)
		}
	}
	all.ShareKeys(keys)
	return all, nil
}

// byOrigin groups extracts by the logs that have signed them, in the order of the names. Extracts
// without a valid signature join the first group.
func byOrigin(ctx context.Context, names []string, open ExtractOpener, o AgainstOptions) (groups [][]string) {
	var origins, others []string
	for _, name := range names {
		origin := originOf(ctx, name, open, o)
		if origin == "" {
			others = append(others, name)
			continue
		}
		at := slices.Index(origins, origin)
		if at < 0 {
			at, origins, groups = len(origins), append(origins, origin), append(groups, nil)
		}
		groups[at] = append(groups[at], name)
	}
	if len(groups) == 0 {
		return [][]string{others}
	}
	groups[0] = append(groups[0], others...)
	return groups
}

// originOf returns the name of the log that has signed an extract, or "".
func originOf(ctx context.Context, name string, open ExtractOpener, o AgainstOptions) string {
	src, _, err := open(name)
	if err != nil {
		return ""
	}
	c, err := src.Checkpoint(ctx)
	if err != nil || c.Verify(o.Log...) != nil {
		return ""
	}
	return c.Origin
}
