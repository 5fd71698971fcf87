// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	daemonsetquirk "github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/deploy"
	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/replicaset"
)

// into applies actions to s, or nothing if one is refused.
func into[S any, As ~[]A, A any](s *S, texts []fmt.Stringer, now time.Time, apply func(As, S, time.Time) (S, error)) error {
	actions := make(As, len(texts))
	for i, text := range texts {
		a, ok := text.(A)
		if !ok {
			return fmt.Errorf("%v is no action of this planner", text)
		}
		actions[i] = a
	}
	next, err := apply(actions, *s, now)
	if err == nil {
		*s = next
	}
	return err
}

var deploymentModel = model[deploy.Snapshot, deploy.Options, deploy.Plan]{
	lists:   []string{"ReplicaSets", "Pods"},
	actions: func(p *deploy.Plan) []fmt.Stringer { return texts(p.Actions) },
	apply: func(s *deploy.Snapshot, actions []fmt.Stringer, now time.Time) error {
		return into(s, actions, now, deploy.Actions.Apply)
	},
	finish: func(s *deploy.Snapshot, p *deploy.Plan) { s.Deployment.Status = p.Status },
	settle: settleDeployment,
	counts: countsOfDeployment,
	ends:   endsOfDeployment,
	lost:   func(p *DeploymentPass) bool { return viewOf(p).excused(viewOf(p).scaling) },
	bound: func(s *deploy.Snapshot, _ deploy.Options) int {
		sum := orOne(s.Deployment.Replicas)
		for i := range s.ReplicaSets {
			sum += sizeOf(&s.ReplicaSets[i])
		}
		return int(min(2*sum, 10_000)) + 20
	},
	within:   deploymentWithin,
	strictly: true,
	endless: func(s *deploy.Snapshot, o deploy.Options) bool {
		return s.Deployment.Partitioned != nil && o.Repair != deployquirk.All
	},
}

var replicaSetModel = model[replicaset.Snapshot, replicaset.Options, replicaset.Plan]{
	lists:   []string{"Pods", "Siblings"},
	actions: func(p *replicaset.Plan) []fmt.Stringer { return texts(p.Actions) },
	apply: func(s *replicaset.Snapshot, actions []fmt.Stringer, now time.Time) error {
		return into(s, actions, now, replicaset.Actions.Apply)
	},
	finish: func(s *replicaset.Snapshot, p *replicaset.Plan) { s.ReplicaSet.Status = p.Status },
	settle: settleReplicaSet,
	counts: countsOfReplicaSet,
	ends: func(p *ReplicaSetPass, s *replicaset.Snapshot) string {
		return fmt.Sprint(podsOfSet(s, p.Options, time.Time{}).active)
	},
	endless: func(s *replicaset.Snapshot, _ replicaset.Options) bool {
		// Template labels that the selector does not select make the controller create and release
		// pods forever; the API forbids them.
		return s.ReplicaSet.Selector != nil && !says(s.ReplicaSet.Selector, s.ReplicaSet.TemplateLabels)
	},
	bound: func(s *replicaset.Snapshot, o replicaset.Options) int {
		return int(max(sizeOf(&s.ReplicaSet), int64(len(s.Pods)))/burstOf(o)) + 5
	},
	within: replicaSetWithin,
	first: func(a fmt.Stringer) bool {
		switch a.(type) {
		case replicaset.AdoptPod, replicaset.ReleasePod:
			return true
		}
		return false
	},
	blind: func(s *replicaset.Snapshot, p *replicaset.Plan, now time.Time) {
		s.Expectations = p.Expect(s.Expectations, now)
	},
	moves:     func(p *replicaset.Plan) int64 { return created(p) + int64(len(deletedNames(p))) },
	creations: created,
}

var daemonSetModel = model[daemonset.Snapshot, daemonset.Options, daemonset.Plan]{
	lists:   []string{"Nodes", "Pods", "Revisions", "Backoff"},
	actions: func(p *daemonset.Plan) []fmt.Stringer { return texts(p.Actions) },
	apply: func(s *daemonset.Snapshot, actions []fmt.Stringer, now time.Time) error {
		return into(s, actions, now, daemonset.Actions.Apply)
	},
	finish: func(s *daemonset.Snapshot, p *daemonset.Plan) { s.DaemonSet.Status, s.Backoff = p.Status, p.Backoff },
	settle: settleDaemonSet,
	counts: countsOfDaemonSet,
	ends:   endsOfDaemonSet,
	lost: func(p *DaemonSetPass) bool { // percentages refer to the last status (quirk.SharesOfLastStatus)
		v := daemonsOf(p)
		if v.desired == 0 && slices.ContainsFunc(v.all(), v.recovers) {
			return true // no defect: it depends on whether the pod becomes ready before the plan
		}
		return !p.Options.Repair.Has(daemonsetquirk.SharesOfLastStatus) && !p.Strict && int64(v.d.Status.DesiredNumberScheduled) != v.desired
	},
	bound: func(s *daemonset.Snapshot, _ daemonset.Options) int {
		return 20*len(s.Nodes) + 3*len(s.Pods) + 20
	},
	within: daemonSetWithin,
	first: func(a fmt.Stringer) bool {
		switch a.(type) {
		case daemonset.CreatePod, daemonset.DeletePod, daemonset.UpdatePod, daemonset.RefreshPod, daemonset.PreparePod:
			return false
		}
		return true
	},
	blind: func(s *daemonset.Snapshot, _ *daemonset.Plan, _ time.Time) { s.Unseen = true },
	moves: func(p *daemonset.Plan) (n int64) {
		for _, a := range p.Actions {
			switch a.(type) {
			case daemonset.CreatePod, daemonset.DeletePod, daemonset.UpdatePod:
				n++
			}
		}
		return n
	},
	creations: func(p *daemonset.Plan) (n int64) {
		for _, a := range p.Actions {
			if _, ok := a.(daemonset.CreatePod); ok {
				n++
			}
		}
		return n
	},
	// A plan may mark a pod with a hook twice: to remove it, and to update it.
	repeats: func(s *daemonset.Snapshot, o daemonset.Options) bool {
		return !o.Repair.Has(daemonsetquirk.PodsOfMissingNodesDeletedAgain) || s.DaemonSet.PreDelete != nil
	},
}
