// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// nameRevision sets the revision of the template of a Deployment to the hash that the Rollout uses.
// OpenKruise computes it with the API types it was built with, so it may differ from our hash and
// from the pod-template-hash label of ReplicaSets. During a release that is not cancelled, the
// status shows which label belongs to the revision.
func nameRevision(s *workload.InspectSnapshot, status *kruise.Status) {
	i := slices.IndexFunc(status.Conditions, func(c kplan.Condition) bool { return c.Type == workload.ConditionProgressing })
	if status.Phase != kruise.PhaseProgressing || i < 0 || status.Sub == nil || status.Sub.Revision == "" {
		return
	}
	switch status.Conditions[i].Reason {
	case kruise.ProgressInRolling, kruise.ProgressPaused, kruise.ProgressFinalising:
	default:
		return
	}
	w := &s.Workload
	for _, set := range slices.Concat(s.Sets, s.CanarySets) {
		if hash := set.Template.Hash; set.Template.Same(w.Template) && hash != "" && hash == status.Sub.PodTemplateHash {
			w.Template.Hash, w.UpdateRevision = status.Sub.Revision, status.Sub.Revision
		}
	}
}

// renamed replaces one template hash of pods by another one.
func renamed(pods []workload.Pod, from, to string) []workload.Pod {
	for i := range pods {
		if pods[i].TemplateHash == from {
			pods[i].TemplateHash = to
		}
	}
	return pods
}
