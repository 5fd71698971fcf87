// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"cmp"
	"slices"
)

// CompareForLogs returns a negative number if the logs of a are more useful than the logs of
// b, a positive number if the logs of b are, and 0 if upstream considers them equal. These
// pods come first, and each rule decides only if all rules before it tie: assigned to a node;
// Running, then Unknown; ready; ready for longer; more restarts; older. Pods in different
// phases among Pending, Succeeded and Failed tie without the later rules.
//
// It mirrors ByLogging of the kubectl package podutils.
func CompareForLogs(a, b Pod) int {
	if c := cmp.Or(
		cmp.Compare(boolToInt(b.NodeName != ""), boolToInt(a.NodeName != "")),
		cmp.Compare(phaseRank(b.Phase), phaseRank(a.Phase)),
	); c != 0 || a.Phase != b.Phase {
		return c
	}
	return compareForLogs(&a, &b)
}

// compareForLogs is CompareForLogs for pods in the same phase.
func compareForLogs(a, b *Pod) int {
	if a.Ready != b.Ready {
		return cmp.Compare(boolToInt(b.Ready), boolToInt(a.Ready))
	}
	if a.Ready {
		if c := newerFirst(instant(b.ReadySince), instant(a.ReadySince)); c != 0 {
			return c
		}
	}
	return cmp.Or(
		cmp.Compare(b.Restarts, a.Restarts),
		cmp.Compare(b.SidecarRestarts, a.SidecarRestarts),
		newerFirst(instant(b.CreationTimestamp), instant(a.CreationTimestamp)),
	)
}

// SortForLogs sorts pods in place, the pod with the most useful logs first. Unlike
// CompareForLogs, it applies the later rules to pods in different phases among Pending,
// Succeeded and Failed. It orders equal pods by UID and name.
func SortForLogs(pods []Pod) {
	slices.SortFunc(pods, func(a, b Pod) int {
		return cmp.Or(
			cmp.Compare(boolToInt(b.NodeName != ""), boolToInt(a.NodeName != "")),
			cmp.Compare(phaseRank(b.Phase), phaseRank(a.Phase)),
			compareForLogs(&a, &b),
			cmp.Compare(a.UID, b.UID),
			cmp.Compare(a.Name, b.Name),
		)
	})
}
