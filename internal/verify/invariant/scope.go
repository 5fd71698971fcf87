// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// deploymentScope checks that a plan writes only to sets of the Deployment, or to orphans that it
// adopts, and that its preconditions are right.
func deploymentScope(p *DeploymentPass) []string {
	d, l := &p.Snapshot.Deployment, list(nil)
	if v := viewOf(p); v.excused(v.wraps) {
		return nil // a plan may create and scale a set, whose UID it does not know
	}
	target := func(a deploy.Action, name, uid, owner string) *replicaset.ReplicaSet {
		rs, err := setNamed(&p.Snapshot, name, uid)
		l.addIf(err != nil, "%v: no ReplicaSet with UID %q", a, uid)
		if err == nil {
			l.addIf(rs.ControllerUID != owner && owner != anyOwner, "%v: its controller is %q", a, rs.ControllerUID)
			l.addIf(owner == anyOwner && rs.ControllerUID != d.UID && rs.ControllerUID != "", "%v: its controller is %q", a, rs.ControllerUID)
		}
		return rs
	}
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case deploy.AdoptReplicaSet:
			target(a, a.Name, a.UID, "")
		case deploy.ReleaseReplicaSet:
			target(a, a.Name, a.UID, d.UID)
		case deploy.AnnotateReplicaSet:
			target(a, a.Name, a.UID, anyOwner)
		case deploy.ScaleReplicaSet:
			target(a, a.Name, a.UID, anyOwner)
		case deploy.DeleteReplicaSet:
			if rs := target(a, a.Name, a.UID, anyOwner); rs != nil {
				l.addIf(rs.ResourceVersion != a.ResourceVersion, "%v: the version is %q, not %q", a, rs.ResourceVersion, a.ResourceVersion)
			}
		case deploy.PauseDeployment:
			l.addIf(a.UID != d.UID || a.ResourceVersion != d.ResourceVersion, "%v is for UID %q and version %q", a, a.UID, a.ResourceVersion)
		}
	}
	return l
}

// anyOwner stands for the owner or an orphan that the plan adopts first.
const anyOwner = "*"

func replicaSetScope(p *ReplicaSetPass) []string {
	rs, l := &p.Snapshot.ReplicaSet, list(nil)
	adopted := map[string]bool{}
	for _, a := range p.Plan.Actions {
		var name, uid string
		switch a := a.(type) {
		case replicaset.AdoptPod:
			name, uid = a.Name, a.UID
			adopted[a.Name] = true
			r := a.Reference
			l.addIf(r.UID != rs.UID || r.Name != rs.Name || r.Controller == nil || !*r.Controller, "%v gives the reference %+v", a, r)
		case replicaset.ReleasePod:
			name, uid = a.Name, a.UID
			l.addIf(a.OwnerUID != rs.UID, "%v takes the reference of %q", a, a.OwnerUID)
		case replicaset.DeletePod:
			name, uid = a.Name, a.UID
		default:
			continue
		}
		i := slices.IndexFunc(p.Snapshot.Pods, func(p podorder.Pod) bool { return p.Name == name && p.UID == uid })
		if i < 0 {
			l.add("%v: no pod with UID %q", a, uid)
			continue
		}
		pod := &p.Snapshot.Pods[i]
		anyones := p.Options.Dialect == replicaset.Kubernetes15WithoutGarbageCollector // pods count whatever their controller
		l.addIf(pod.ControllerUID != rs.UID && !anyones && !(pod.ControllerUID == "" && adopted[name]), "%v: its controller is %q", a, pod.ControllerUID)
		if d, ok := a.(replicaset.DeletePod); ok {
			l.addIf(d.ResourceVersion != pod.ResourceVersion, "%v: the version is %q, not %q", a, pod.ResourceVersion, d.ResourceVersion)
		}
	}
	return l
}

func daemonSetScope(p *DaemonSetPass) []string {
	uid, l := p.Snapshot.DaemonSet.UID, list(nil)
	for _, a := range p.Plan.Actions {
		o, _ := daemonset.ObjectOf(a)
		owner, version, adopts := "", "", false
		switch a.(type) {
		case daemonset.CreatePod, daemonset.CreateRevision:
			continue
		case daemonset.UpdateRevision, daemonset.AdoptRevision, daemonset.ReleaseRevision, daemonset.DeleteRevision:
			_, adopts = a.(daemonset.AdoptRevision)
			i := slices.IndexFunc(p.Snapshot.Revisions, func(r revision.ControllerRevision) bool { return r.Name == o.Name && r.UID == o.UID })
			if i < 0 {
				l.add("%v: no revision with UID %q", a, o.UID)
				continue
			}
			owner, version = p.Snapshot.Revisions[i].ControllerUID, p.Snapshot.Revisions[i].ResourceVersion
		default:
			_, adopts = a.(daemonset.AdoptPod)
			i := slices.IndexFunc(p.Snapshot.Pods, func(p daemonset.Pod) bool { return p.Name == o.Name && p.UID == o.UID })
			if i < 0 {
				l.add("%v: no pod with UID %q", a, o.UID)
				continue
			}
			owner, version = p.Snapshot.Pods[i].ControllerUID, p.Snapshot.Pods[i].ResourceVersion
		}
		l.addIf(adopts && owner != "", "%v: its controller is %q", a, owner)
		l.addIf(owner != uid && owner != "", "%v: its controller is %q", a, owner)
		l.addIf(version != o.ResourceVersion, "%v: the version is %q, not %q", a, version, o.ResourceVersion)
	}
	return l
}

func rolloutScope(p *RolloutPass) []string {
	s, l := &p.Snapshot, list(nil)
	uids := map[string]string{"Rollout": s.Rollout.UID, "Owner": s.Rollout.UID}
	if s.BatchRelease != nil {
		uids["BatchRelease"] = s.BatchRelease.UID
	}
	if s.Workload != nil {
		uids["Workload"] = s.Workload.UID
	}
	if s.Shared != nil {
		uids["TrafficRouting"] = s.Shared.UID
	}
	for _, a := range p.Plan.Actions {
		kind, uid := rolloutTarget(a)
		want, there := uids[kind]
		l.addIf(kind != "" && (!there || uid != want), "%v is for the %s with UID %q, and that is %q", a, kind, uid, want)
		services := []string{}
		for _, r := range routingsOf(&s.Rollout) {
			services = append(services, r.Service, r.Service+"-canary")
		}
		if pods, ok := a.(kruise.SelectPods); ok {
			l.addIf(!slices.Contains(services, pods.Service), "%v is about a Service of %v", a, services)
		}
	}
	return l
}

func routingsOf(r *kruise.Rollout) []traffic.Routing {
	switch {
	case r.Canary != nil:
		return r.Canary.TrafficRoutings
	case r.BlueGreen != nil:
		return r.BlueGreen.TrafficRoutings
	}
	return nil
}

func batchScope(p *BatchPass) []string {
	s, l := &p.Snapshot, list(nil)
	for _, a := range p.Plan.Actions {
		switch a := a.(type) {
		case batchrelease.LabelPod:
			l.addIf(!slices.ContainsFunc(s.Pods, func(p workload.Pod) bool { return p.Name == a.Name && p.UID == a.UID }), "%v: no pod with UID %q", a, a.UID)
		case batchrelease.PatchWorkload:
			stable := s.Workload != nil && a.UID == s.Workload.UID
			canary := s.Canary != nil && a.UID == s.Canary.UID
			l.addIf(!stable && !canary, "%v is for the workload with UID %q", a, a.UID)
		case batchrelease.SetFinalizer:
			own := a.UID == s.Release.UID || s.Canary != nil && a.UID == s.Canary.UID
			l.addIf(!own, "%v is for an object with UID %q", a, a.UID)
		case batchrelease.RetargetAutoscaler:
			l.addIf(s.Autoscaler == nil || a.Name != s.Autoscaler.Name, "%v is for another one", a)
		}
	}
	return l
}
