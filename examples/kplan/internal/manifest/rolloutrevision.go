package manifest

import (
	"slices"

	"github.com/kplan-go/kplan/rollout"
)

// nameRevision gives the template of a Deployment the revision by which a Rollout knows
// it. That is a hash by the API types that OpenKruise was built with, and may differ from
// ours and from the one that ReplicaSets are labelled with. During a release, as long as
// it is not cancelled, the status tells which label goes with the revision.
func nameRevision(s *rollout.InspectSnapshot, status *rollout.RolloutStatus) {
	i := slices.IndexFunc(status.Conditions, func(c rollout.Condition) bool { return c.Type == rollout.ConditionProgressing })
	if status.Phase != rollout.PhaseProgressing || i < 0 || status.Sub == nil || status.Sub.Revision == "" {
		return
	}
	switch status.Conditions[i].Reason {
	case rollout.ProgressInRolling, rollout.ProgressPaused, rollout.ProgressFinalising:
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

// renamed gives the pods whose template has one hash another one.
func renamed(pods []rollout.Pod, from, to string) []rollout.Pod {
	for i := range pods {
		if pods[i].TemplateHash == from {
			pods[i].TemplateHash = to
		}
	}
	return pods
}
