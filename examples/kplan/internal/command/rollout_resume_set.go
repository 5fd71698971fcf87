// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/workload"
)

// resumeSet simulates the rest of a release of a CloneSet or a StatefulSet.
func (s *simulation) resumeSet(r *manifest.Rollout) (view.RolloutSimulation, error) {
	set := r.Set.Set // by its own words: the Rollout may know the revisions by other names
	status := &set.Status
	switch {
	case status.ObservedGeneration < set.Generation:
		return view.RolloutSimulation{}, r.Set.Invalid(notSeen(status.ObservedGeneration, set.Generation))
	case set.UpdateRevision == "":
		return view.RolloutSimulation{}, r.Set.Invalid(badField("status.updateRevision", "", "must be set, because a release is under way"))
	case len(r.Set.Pods) == 0 && status.Replicas > 0:
		return view.RolloutSimulation{}, r.Set.Invalid(errNoPods)
	}
	if err := checkProgress(r); err != nil {
		return view.RolloutSimulation{}, err
	}
	c := s.releaseOf(r)
	var assumed []string
	if set.InPlace = r.Set.UpdatesInPlace(); set.InPlace {
		assumed = append(assumed, "pods are updated in place, as if no more than images had changed")
	}
	c.Set = &set
	for _, p := range r.Set.Pods {
		c.Pods = append(c.Pods, podOfSet(p, set.Name))
	}
	short := func(p *corev1.Pod) string {
		return strings.TrimPrefix(p.Labels[workload.LabelControllerRevision], set.Name+"-")
	}
	config := s.rolloutConfig(revision.Template{ID: strings.TrimPrefix(set.UpdateRevision, set.Name+"-")})
	assumed = append(assumed, s.believeSet(r.Set.Pods, short, &c, &config.Kubelet)...)
	return s.resume(r, c, &config, set.Budget(), assumed)
}

// podOfSet returns a pod whose revision has its full name, which some CloneSets leave out.
func podOfSet(p *corev1.Pod, name string) podorder.Pod {
	pod := kube.Pod(p)
	if hash := pod.Labels[workload.LabelControllerRevision]; !strings.HasPrefix(hash, name+"-") {
		labels := map[string]string{workload.LabelControllerRevision: name + "-" + hash}
		for key, value := range pod.Labels {
			if labels[key] == "" {
				labels[key] = value
			}
		}
		pod.Labels = labels
	}
	return pod
}

// resumeDaemonSet simulates the rest of a release of a DaemonSet.
func (s *simulation) resumeDaemonSet(r *manifest.Rollout) (view.RolloutSimulation, error) {
	d := r.DaemonSet
	if err := checkProgress(r); err != nil {
		return view.RolloutSimulation{}, err
	}
	assumed := s.assumeNodes(d, nil)
	if len(d.Nodes) == 0 {
		return view.RolloutSimulation{}, r.Invalid(manifest.ErrNoNode)
	}
	c := s.releaseOf(r)
	state, err := daemonCluster(d, c.Now)
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	pods, hash := d.Controlled(), ""
	for _, v := range state.Revisions {
		if string(v.Data) == string(state.DaemonSet.Template.Data) {
			hash, _ = revision.RevisionHash(v)
		}
	}
	switch {
	case hash == "" && d.Object.Status.ObservedGeneration < d.Object.Generation:
		return view.RolloutSimulation{}, d.Invalid(notSeen(d.Object.Status.ObservedGeneration, d.Object.Generation))
	case len(pods) == 0 && state.DaemonSet.Status.CurrentNumberScheduled > 0:
		return view.RolloutSimulation{}, d.Invalid(errNoPods)
	case hash == "":
		return view.RolloutSimulation{}, d.Invalid(errors.New("the ControllerRevision of its template is not in the input"))
	}
	c.DaemonSet = &sim.DaemonSetState{
		DaemonSetCluster: state, Ref: r.Workload.Ref, Options: daemonset.Options{Dialect: d.Dialect(), Repair: s.daemonSets()},
	}
	config := s.rolloutConfig(revision.Template{ID: hash})
	assumed = append(assumed, s.believeSet(pods, func(p *corev1.Pod) string { return p.Labels[daemonset.LabelHash] }, &c, &config.Kubelet)...)
	limits := limitsOf(&r.Workload)
	return s.resume(r, c, &config, rollout.ResolveExact(replicasOf(&r.Workload), limits.MaxSurge, limits.MaxUnavailable), assumed)
}

// notSeen tells that nobody knows the name of a template that came last.
func notSeen(observed, generation int64) error {
	return badField("status.observedGeneration", observed,
		fmt.Sprintf("its controller has yet to see generation %d, and to name its template; that takes seconds", generation))
}

// errNoPods tells that nobody knows how the pods of a workload are.
var errNoPods = errors.New("its pods are not in the input")

// releaseOf returns a release without its workload.
func (s *simulation) releaseOf(r *manifest.Rollout) sim.RolloutCluster {
	c := sim.RolloutCluster{Now: s.now.Time, Rollout: r.Snapshot.Rollout, BatchRelease: r.Snapshot.BatchRelease, Traffic: r.Snapshot.Traffic}
	if c.Now.IsZero() {
		c.Now = latestOfRelease(r)
	}
	return c
}

// believeSet makes pods stay as broken as they are, and returns what that is.
func (s *simulation) believeSet(pods []*corev1.Pod, template func(*corev1.Pod) string, c *sim.RolloutCluster, k *sim.Kubelet) []string {
	if s.heal {
		return healed(pods)
	}
	b := believe(pods, template, c.Now)
	b.withoutRoom()
	b.apply(k, func(t revision.Template) string { return t.ID })
	return b.notes
}
