// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/argo"
)

var argoModel = model[argo.Snapshot, argo.Options, argo.Plan]{
	lists:   []string{"Sets", "Pods"},
	actions: func(p *argo.Plan) []fmt.Stringer { return texts(p.Actions) },
	apply: func(s *argo.Snapshot, actions []fmt.Stringer, now time.Time) error {
		return into(s, actions, now, argo.Actions.Apply)
	},
	finish: func(s *argo.Snapshot, p *argo.Plan) { s.Rollout.Status = p.Status },
	settle: settleArgo,
	counts: countsOfArgo,
	ends: func(_ *ArgoPass, s *argo.Snapshot) string { // how long other sets keep their pods depends on time
		return fmt.Sprint(s.Rollout.TemplateHash, " of ", s.Rollout.Status.StableRS, ": ", argoSet(s, s.Rollout.Status.StableRS).Replicas)
	},
	lost: func(p *ArgoPass) bool { // without pods a version completes at once; and sets from the future change the order by age
		return orOne(p.Snapshot.Rollout.Replicas) == 0 || slices.ContainsFunc(p.Snapshot.Sets, func(rs argo.ReplicaSet) bool { return rs.CreationTimestamp.After(p.Now) })
	},
	bound: func(s *argo.Snapshot, _ argo.Options) int {
		return int(min(2*orOne(s.Rollout.Replicas), 10_000)) + 6*len(s.Rollout.Steps) + 3*len(s.Sets) + len(s.Pods) + 30
	},
	within:   argoWithin,
	strictly: true,
	unseen: func(a fmt.Stringer) bool { // weights are in the status only
		_, ok := a.(argo.SetWeight)
		return ok
	},
}

// settleArgo makes all pods available, lets analyses succeed, and resumes pauses.
func settleArgo(s *argo.Snapshot, now time.Time) {
	for i := range s.Sets {
		rs := &s.Sets[i]
		rs.StatusReplicas, rs.AvailableReplicas, rs.ReadyReplicas = rs.Replicas, rs.Replicas, rs.Replicas
	}
	status := &s.Rollout.Status
	if slices.ContainsFunc(status.Conditions, func(c kplan.Condition) bool { return c.Type == "Paused" && c.Status == "True" }) {
		status.PauseConditions = nil // once the condition says so
	}
	for _, run := range []*argo.Run{&status.Runs.Step, &status.Runs.Background, &status.Runs.PrePromotion, &status.Runs.PostPromotion} {
		run.Phase = argo.RunSuccessful
	}
	for i := range s.Pods {
		if s.Pods[i].Deleting {
			s.Pods[i] = argo.Pod{Name: s.Pods[i].Name + "-", CreationTimestamp: now, Available: true}
		}
		s.Pods[i].Available = true
	}
	if s.WeightVerified != nil {
		verified := true
		s.WeightVerified = &verified
	}
}

func countsOfArgo(s *argo.Snapshot, _ time.Time) string {
	var parts []string
	for i := range s.Sets { // in order, which no action changes
		parts = append(parts, fmt.Sprintf("%s=%d/%v", s.Sets[i].Hash, s.Sets[i].Replicas, s.Sets[i].ScaleDownAt.IsZero()))
	}
	status := s.Rollout.Status
	status.Conditions, status.PauseConditions, status.Runs, status.Phase, status.Message = nil, nil, argo.Runs{}, "", ""
	return fmt.Sprint(s.Rollout.TemplateHash, " ", strings.Join(parts, " "), " ", encode(status))
}
