package command

import (
	"cmp"
	"errors"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/rollout"
)

// simulateRollout simulates the release from one Deployment to another, of those with
// the name that the Rollout has.
func (s *simulation) simulateRollout(r *manifest.Rollout, set, from *manifest.Set) (view.RolloutSimulation, error) {
	if r.Workload.Group() != "apps" || r.Workload.Kind != deploy.Kind {
		return view.RolloutSimulation{}, r.Invalid(errors.New("only Rollouts of Deployments can be simulated"))
	}
	key := r.Namespace + "/" + r.Workload.Name
	w, old := byKey(set.Workloads, key), byKey(from.Workloads, key)
	if w == nil || old == nil {
		return view.RolloutSimulation{}, r.Invalid(errors.New("--from must hold its Deployment as it is before the release"))
	}
	before, err := clusterOf(old, s.now.Time)
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	wanted, err := clusterOf(w, s.now.Time)
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	d, limits := released(before.Deployment, &wanted.Deployment)
	template := wanted.Deployment.Template
	if template.Same(d.Template) {
		return view.RolloutSimulation{}, r.Invalid(errors.New("the template of its Deployment is that of --from, and there is nothing to release"))
	}
	approve := time.Duration(s.approveAfter)
	if s.neverApprove {
		approve = -1
	}
	result, err := sim.RunRollout(sim.RolloutRelease{
		Now: before.Now, Rollout: r.Snapshot.Rollout, Deployment: d, Template: template, Traffic: r.Snapshot.Traffic,
	}, sim.RolloutConfig{
		Kubelet: s.kubelet(template), TimeLimit: time.Duration(s.timeLimit), Options: s.rolloutOptions(), ApproveAfter: approve,
	})
	if err != nil {
		return view.RolloutSimulation{}, r.Invalid(err)
	}
	replicas := replicasOf(&r.Workload)
	return view.RolloutSimulation{
		Namespace: r.Namespace, Rollout: r.Snapshot.Rollout, Replicas: replicas, Result: result, Policies: s.corrections(),
		Budget: rollout.PartitionBudget(replicas, &limits),
	}, nil
}

// released returns the Deployment before the release with what the new one has beside
// the template, and its limits. They have the defaults of the API server, which come
// before the admission of Rollouts.
func released(d deploy.Deployment, wanted *deploy.Deployment) (deploy.Deployment, rollout.RollingUpdate) {
	limits := rollout.RollingUpdate{
		MaxSurge: cmp.Or(wanted.MaxSurge, rollout.Percent(25)), MaxUnavailable: cmp.Or(wanted.MaxUnavailable, rollout.Percent(25)),
	}
	d.Strategy = cmp.Or(d.Strategy, deploy.RollingUpdate)
	d.Replicas, d.MinReadySeconds = wanted.Replicas, wanted.MinReadySeconds
	d.MaxSurge, d.MaxUnavailable = limits.MaxSurge, limits.MaxUnavailable
	return d, limits
}

// byKey returns the Deployment with a key, or nil.
func byKey(list []manifest.Workload, key string) *manifest.Workload {
	for i := range list {
		if list[i].Key() == key {
			return &list[i]
		}
	}
	return nil
}

// isReleased reports whether a Deployment is that of a Rollout, which releases it.
func isReleased(w *manifest.Workload, rollouts []manifest.Rollout) bool {
	for i := range rollouts {
		if ref := rollouts[i].Workload.WorkloadRef; ref.Kind == deploy.Kind && rollouts[i].Namespace+"/"+ref.Name == w.Key() {
			return true
		}
	}
	return false
}
