// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/argosim"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/kube"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/argo"
)

// simulateArgo simulates an update of a Rollout of Argo: the rest of what is in the files,
// or all of it from an old one.
func (s *simulation) simulateArgo(r, old *manifest.ArgoRollout) (view.ArgoSimulation, error) {
	if n := r.Snapshot.Rollout.Replicas; n != nil && *n > maxReplicas {
		return view.ArgoSimulation{}, r.Invalid(&kube.FieldError{
			Path: "spec.replicas", Value: *n, Detail: fmt.Sprintf("must be at most %d to be simulated", maxReplicas),
		})
	}
	if old != nil && len(r.ReplicaSets) > 0 {
		return view.ArgoSimulation{}, r.Invalid(errors.New("the update goes on from where its ReplicaSets stand, not from what --from holds"))
	}
	partial, err := argoRolledOut(old)
	if err != nil {
		return view.ArgoSimulation{}, err
	}
	approve := time.Duration(s.approveAfter)
	if s.neverApprove {
		approve = -1
	}
	config := argosim.Config{
		ReadyAfter:   time.Duration(s.scheduleAfter) + time.Duration(s.readyAfter) + time.Duration(r.Object.Spec.MinReadySeconds)*time.Second,
		ApproveAfter: approve, AnalysisAfter: time.Duration(s.analysis.after), Analysis: phases[s.analysis.outcome],
		TimeLimit: time.Duration(s.timeLimit), Repair: s.argoRollouts(), Recording: s.recording(),
	}
	if s.neverReady {
		config.Broken = map[string]bool{r.Snapshot.Rollout.TemplateHash: true}
	}
	start, now := r.Snapshot, s.now.Time
	if now.IsZero() {
		now = latestOfArgo(cmp.Or(old, r))
	}
	config.Pods = r.PodsOf(now)
	assumed := slices.Concat(partial, s.believeArgo(cmp.Or(old, r), now, &config), s.withoutDelays())
	if old != nil {
		if start, now, err = changed(old, r, now, config); err != nil {
			return view.ArgoSimulation{}, err
		}
		config.Pods = old.PodsOf(now)
	}
	if n := r.Scaled.To; n != nil {
		start.Rollout.Replicas = n
	}
	if s.heal {
		start.Sets = unrefused(start.Sets)
	}
	assumed = slices.Concat(assumed, r.Scaled.Notes, r.Unheeded())
	result, err := argosim.Run(start, now, config)
	if err != nil {
		return view.ArgoSimulation{}, r.Invalid(err)
	}
	return view.ArgoSimulation{
		Namespace: r.Object.Namespace, Rollout: start.Rollout, Result: result, Policies: s.flags(argo.QuirkTable()), Assumed: assumed,
		Recording: config.Recording,
	}, nil
}

// changed returns what is there when an old Rollout becomes another one: it has been rolled
// out, or stands where its ReplicaSets say.
func changed(old, r *manifest.ArgoRollout, now time.Time, config argosim.Config) (argo.Snapshot, time.Time, error) {
	s := old.Snapshot
	if len(old.ReplicaSets) == 0 {
		restart := r.Snapshot.Rollout.RestartAt
		if !now.After(restart) {
			now = restart.Add(-24 * time.Hour) // the pods are older than what restarts them
		}
		config.Broken, config.Stuck, config.Recording = nil, nil, nil
		config.Analysis, config.AnalysisAfter, config.ApproveAfter = argo.RunSuccessful, 0, 0
		config.TimeLimit = 10 * 365 * 24 * time.Hour
		result, err := argosim.Run(s, now, config)
		if err == nil && !result.Done {
			err = errors.New("it cannot be rolled out")
		}
		if err != nil {
			return s, now, old.Invalid(err)
		}
		s, now = result.Snapshot, later(result.Now, restart)
	}
	next := r.Snapshot
	generation, revision, status := s.Rollout.Generation+1, s.Rollout.Revision, s.Rollout.Status
	next.Rollout.Generation, next.Rollout.Revision, next.Rollout.Status = generation, revision, status
	next.Sets, next.Routes = s.Sets, s.Routes
	if kubeargo.TemplateHash(&old.Object.Spec.Template, nil) == kubeargo.TemplateHash(&r.Object.Spec.Template, nil) {
		next.Rollout.TemplateHash = s.Rollout.TemplateHash // which may be that of another release
	}
	there := map[string]*argo.Service{}
	for _, service := range servicesOf(&s) {
		if service != nil {
			there[service.Name] = service
		}
	}
	for _, service := range servicesOf(&next) {
		if service != nil && there[service.Name] != nil {
			service.Selector, service.Managed = maps.Clone(there[service.Name].Selector), there[service.Name].Managed
		}
	}
	return next, now, nil
}

// servicesOf returns the Services of a Rollout, nil for those that it does not name.
func servicesOf(s *argo.Snapshot) []*argo.Service {
	return []*argo.Service{s.Active, s.Preview, s.StableService, s.CanaryService, s.Ping, s.Pong}
}

// latestOfArgo returns the latest time in the objects of a Rollout.
func latestOfArgo(r *manifest.ArgoRollout) time.Time {
	last := latestOf(time.Time{}, r.Pods)
	for _, c := range r.Object.Status.Conditions {
		last = later(later(last, c.LastUpdateTime.Time), c.LastTransitionTime.Time)
	}
	for _, c := range r.Object.Status.PauseConditions {
		last = later(last, c.StartTime.Time)
	}
	last = later(last, r.Snapshot.Rollout.RestartAt)
	for _, rs := range r.ReplicaSets {
		last = later(last, rs.CreationTimestamp.Time)
	}
	return last.UTC()
}
