package smallscope

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A passView is what the planner of the Deployment sees: pods by template, all and
// those that are ready.
type passView struct {
	workload, sets int32
	pods           [3][2]int8
}

// A passResult is what one pass makes of it.
type passResult struct {
	workload, sets int32
	sizes          [3]int8
	breaches       []Breach
}

func (p *rolloutPods) counts() (counts [3][2]int8) {
	for _, pod := range p {
		if pod.template > 0 {
			counts[pod.template-1][0]++
			if pod.ready {
				counts[pod.template-1][1]++
			}
		}
	}
	return counts
}

func (r *Rollouts) pass(s *rolloutState) passResult {
	v := passView{s.workload, s.sets, s.pods.counts()}
	return r.steps.of(v, func() passResult { return r.deploy(v) })
}

func (r *Rollouts) deployedBreaches(s rolloutState) []Breach { return r.pass(&s).breaches }

// deployed returns the state behind a pass of the Deployment and of its ReplicaSets, and
// whether it changes anything. ReplicaSets delete pods that are not ready first.
func (r *Rollouts) deployed(s rolloutState) (rolloutState, bool) {
	d := r.pass(&s)
	t := s
	t.workload, t.sets = d.workload, d.sets
	for template, size := range d.sizes {
		for n := t.pods.of(int8(template)); n > size; n-- {
			t.pods.remove(int8(template))
		}
		for n := t.pods.of(int8(template)); n < size; n++ {
			if i := slices.Index(t.pods[:], rolloutPod{}); i >= 0 {
				t.pods[i] = rolloutPod{template: int8(template) + 1}
			}
		}
	}
	return t, t != s
}

// remove deletes a pod of a template.
func (p *rolloutPods) remove(template int8) {
	victim := -1
	for i, pod := range p {
		if pod.template == template+1 && (victim < 0 || !pod.ready && p[victim].ready) {
			victim = i
		}
	}
	p[victim] = rolloutPod{}
}

func (r *Rollouts) deploy(v passView) passResult {
	w := *r.objects.workload.list[v.workload]
	sets := slices.Clone(*r.objects.sets.list[v.sets])
	d := deploy.Deployment{
		Name: w.Name, UID: w.UID, Generation: w.Generation, Annotations: w.Annotations, Replicas: w.Replicas, Template: w.Template,
		Strategy: deploy.Strategy(w.StrategyType), Paused: w.Paused, ProgressDeadlineSeconds: new(int32(deploy.NoLimit)), RevisionHistoryLimit: new(int32(deploy.NoLimit)),
		Status: deploy.Status{ObservedGeneration: w.Status.ObservedGeneration, Replicas: w.Status.Replicas},
	}
	if w.RollingUpdate != nil {
		d.MaxSurge, d.MaxUnavailable = w.RollingUpdate.MaxSurge, w.RollingUpdate.MaxUnavailable
	}
	d.Partitioned = deploy.PartitionedBy(d)
	snapshot := deploy.Snapshot{Deployment: d}
	for _, rs := range sets {
		pods := v.pods[setOf(rs.Name)]
		rs.Status = replicaset.Status{ObservedGeneration: 1, Replicas: int32(pods[0]), ReadyReplicas: int32(pods[1]), AvailableReplicas: int32(pods[1])}
		snapshot.ReplicaSets = append(snapshot.ReplicaSets, rs)
		for i := range pods[0] {
			snapshot.Pods = append(snapshot.Pods, podOf(rs.Name, int(i), i < pods[1], false))
		}
	}
	var options deploy.Options
	if r.Options.Repair != 0 {
		options.Repair = deploy.RepairAll
	}
	p, err := deploy.Reconcile(snapshot, now, options)
	if err != nil {
		return passResult{workload: v.workload, sets: v.sets, breaches: []Breach{breach(PropertyPlan, "%v", err)}}
	}
	after := passResult{}
	for _, a := range p.Actions {
		var known bool
		if sets, known = r.applied(&w, sets, a); !known {
			after.breaches = append(after.breaches, breach(PropertyPlan, "not known here: %v", a))
		}
	}
	w.Status = workload.Status{
		ObservedGeneration: w.Generation, Replicas: p.Status.Replicas, ReadyReplicas: p.Status.ReadyReplicas,
		AvailableReplicas: p.Status.AvailableReplicas, UpdatedReplicas: p.Status.UpdatedReplicas,
	}
	for _, rs := range sets {
		after.sizes[setOf(rs.Name)] = int8(*rs.Replicas)
	}
	after.workload, after.sets = r.storedWorkload(w), r.objects.sets.of(&sets)
	return after
}

// applied carries out an action of the planner of the Deployment.
func (r *Rollouts) applied(w *workload.Workload, sets []replicaset.ReplicaSet, a deploy.Action) ([]replicaset.ReplicaSet, bool) {
	set := func(name string, annotations map[string]string, size *int32) bool {
		i := slices.IndexFunc(sets, func(rs replicaset.ReplicaSet) bool { return rs.Name == name })
		if i < 0 {
			return false
		}
		sets[i].Annotations = maps.Clone(sets[i].Annotations)
		maps.Copy(sets[i].Annotations, annotations)
		if size != nil {
			sets[i].Replicas = size
		}
		return true
	}
	switch a := a.(type) {
	case deploy.CreateReplicaSet:
		return append(sets, replicaset.ReplicaSet{
			Name: a.Name, UID: a.Name, Generation: 1, ControllerKind: deploy.Kind, ControllerName: "web", ControllerUID: "d",
			CreationTimestamp: longAgo.Add(time.Duration(len(sets)) * time.Second), Replicas: &a.Replicas, Template: a.Template, Annotations: a.Annotations,
		}), strings.HasPrefix(a.Name, "web-")
	case deploy.ScaleReplicaSet:
		return sets, set(a.Name, a.Set, &a.To)
	case deploy.AnnotateReplicaSet:
		return sets, set(a.Name, a.Set, nil)
	case deploy.AnnotateDeployment:
		w.Annotations = maps.Clone(w.Annotations)
		maps.Copy(w.Annotations, a.Set)
		return sets, true
	}
	return sets, false
}
