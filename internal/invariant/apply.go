package invariant

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// with returns a copy of m with the entries of set.
func with(m, set map[string]string) map[string]string {
	all := make(map[string]string, len(m)+len(set))
	maps.Copy(all, m)
	maps.Copy(all, set)
	return all
}

func setNamed(s *deploy.Snapshot, name, uid string) (*replicaset.ReplicaSet, error) {
	for i := range s.ReplicaSets {
		if rs := &s.ReplicaSets[i]; rs.Name == name && rs.UID == uid {
			return rs, nil
		}
	}
	return nil, fmt.Errorf("no ReplicaSet %s with UID %q", name, uid)
}

// applyDeployment carries out one action on a snapshot that it owns, as the API server
// would. It fails if a precondition does not hold.
func applyDeployment(s *deploy.Snapshot, action deploy.Action, now time.Time) error {
	switch a := action.(type) {
	case deploy.CreateReplicaSet:
		return createSet(s, a, now)
	case deploy.AnnotateDeployment:
		s.Deployment.Annotations = with(s.Deployment.Annotations, a.Set)
		return nil
	case deploy.PauseDeployment:
		s.Deployment.Paused, s.Deployment.Annotations = true, with(s.Deployment.Annotations, a.Set)
		s.Deployment.Generation++
		return nil
	case deploy.RollBackDeployment:
		s.Deployment.Template, s.Deployment.Annotations = a.Template, with(nil, a.Annotations)
		s.Deployment.Generation++
		return nil
	case deploy.ClearRollback:
		s.Deployment.Annotations = with(s.Deployment.Annotations, nil)
		delete(s.Deployment.Annotations, revision.AnnotationRollback)
		return nil
	}
	return applyToSet(s, action)
}

func applyToSet(s *deploy.Snapshot, action deploy.Action) error {
	var name, uid string
	switch a := action.(type) {
	case deploy.AdoptReplicaSet:
		name, uid = a.Name, a.UID
	case deploy.ReleaseReplicaSet:
		name, uid = a.Name, a.UID
	case deploy.AnnotateReplicaSet:
		name, uid = a.Name, a.UID
	case deploy.ScaleReplicaSet:
		name, uid = a.Name, a.UID
	case deploy.DeleteReplicaSet:
		name, uid = a.Name, a.UID
	default:
		return fmt.Errorf("unknown action %v", action)
	}
	rs, err := setNamed(s, name, uid)
	if err != nil {
		return err
	}
	switch a := action.(type) {
	case deploy.AdoptReplicaSet:
		rs.ControllerKind, rs.ControllerName, rs.ControllerUID = deploy.Kind, s.Deployment.Name, s.Deployment.UID
	case deploy.ReleaseReplicaSet:
		rs.ControllerKind, rs.ControllerName, rs.ControllerUID = "", "", ""
	case deploy.AnnotateReplicaSet:
		rs.Annotations = with(rs.Annotations, a.Set)
		if a.MinReadySeconds != nil && *a.MinReadySeconds != rs.MinReadySeconds {
			rs.MinReadySeconds = *a.MinReadySeconds
			rs.Generation++
		}
	case deploy.ScaleReplicaSet:
		if sizeOf(rs) != int64(a.From) {
			return fmt.Errorf("%s wants %d pods, not %d", a.Name, sizeOf(rs), a.From)
		}
		rs.Replicas, rs.Annotations = new(a.To), with(rs.Annotations, a.Set)
		rs.Generation++
	case deploy.DeleteReplicaSet:
		s.ReplicaSets = slices.DeleteFunc(s.ReplicaSets, func(rs replicaset.ReplicaSet) bool { return rs.UID == a.UID && rs.Name == a.Name })
	}
	return nil
}

func createSet(s *deploy.Snapshot, a deploy.CreateReplicaSet, now time.Time) error {
	if slices.ContainsFunc(s.ReplicaSets, func(rs replicaset.ReplicaSet) bool { return rs.Name == a.Name }) {
		return fmt.Errorf("%s exists", a.Name)
	}
	s.ReplicaSets = append(s.ReplicaSets, replicaset.ReplicaSet{
		Name: a.Name, UID: a.Name + "-uid", Generation: 1, Labels: with(a.Labels, nil), Annotations: with(a.Annotations, nil),
		ControllerKind: deploy.Kind, ControllerName: s.Deployment.Name, ControllerUID: s.Deployment.UID, CreationTimestamp: now,
		Replicas: new(a.Replicas), MinReadySeconds: a.MinReadySeconds, Template: a.Template, TemplateLabels: with(a.Labels, nil),
	})
	return nil
}

// applyReplicaSet is applyDeployment for pods of a ReplicaSet.
func applyReplicaSet(s *replicaset.Snapshot, action replicaset.Action, now time.Time) error {
	find := func(name, uid string) (int, error) {
		i := slices.IndexFunc(s.Pods, func(p podorder.Pod) bool { return p.Name == name && p.UID == uid })
		if i < 0 {
			return i, fmt.Errorf("no pod %s with UID %q", name, uid)
		}
		return i, nil
	}
	switch a := action.(type) {
	case replicaset.CreatePods:
		for range a.Count {
			name := fmt.Sprintf("%s-%d-%d", s.ReplicaSet.Name, now.UnixNano(), len(s.Pods))
			s.Pods = append(s.Pods, podorder.Pod{
				Name: name, UID: name, Labels: with(s.ReplicaSet.TemplateLabels, nil), ControllerKind: s.ReplicaSet.Kind,
				ControllerName: s.ReplicaSet.Name, ControllerUID: s.ReplicaSet.UID, CreationTimestamp: now, Phase: podorder.Pending,
			})
		}
		return nil
	case replicaset.AdoptPod:
		i, err := find(a.Name, a.UID)
		if err == nil {
			s.Pods[i].ControllerKind, s.Pods[i].ControllerName, s.Pods[i].ControllerUID = a.Reference.Kind, a.Reference.Name, a.Reference.UID
		}
		return err
	case replicaset.ReleasePod:
		i, err := find(a.Name, a.UID)
		if err == nil {
			s.Pods[i].ControllerKind, s.Pods[i].ControllerName, s.Pods[i].ControllerUID = "", "", ""
		}
		return err
	case replicaset.DeletePod:
		i, err := find(a.Name, a.UID)
		if err == nil {
			s.Pods = slices.Delete(s.Pods, i, i+1)
		}
		return err
	}
	return fmt.Errorf("unknown action %v", action)
}

// applyDaemonSet is applyDeployment for pods and revisions of a DaemonSet. A pod that
// is deleted is marked; settling removes it.
func applyDaemonSet(s *daemonset.Snapshot, action daemonset.Action, now time.Time) error {
	switch a := action.(type) {
	case daemonset.CreatePod:
		s.Pods = append(s.Pods, newDaemon(s, a, now))
		return nil
	case daemonset.CreateRevision:
		if slices.ContainsFunc(s.Revisions, func(r revision.ControllerRevision) bool { return r.Name == a.Name }) {
			return fmt.Errorf("%s exists", a.Name)
		}
		s.Revisions = append(s.Revisions, revision.ControllerRevision{
			Name: a.Name, UID: "uid-" + a.Name, Labels: with(a.Labels, nil), ControllerKind: daemonset.Kind,
			ControllerName: s.DaemonSet.Name, ControllerUID: s.DaemonSet.UID, CreationTimestamp: now, Data: a.Data, Revision: a.Revision,
		})
		return nil
	case daemonset.UpdateRevision, daemonset.AdoptRevision, daemonset.ReleaseRevision, daemonset.DeleteRevision:
		return applyToRevision(s, a)
	}
	return applyToDaemon(s, action, now)
}

func newDaemon(s *daemonset.Snapshot, a daemonset.CreatePod, now time.Time) daemonset.Pod {
	name := fmt.Sprintf("new-%s-%d-%d", a.Node, now.UnixNano(), len(s.Pods))
	p := daemonset.Pod{Pod: podorder.Pod{
		Name: name, UID: name, ControllerKind: daemonset.Kind, ControllerName: s.DaemonSet.Name, ControllerUID: s.DaemonSet.UID,
		Labels: with(s.DaemonSet.Template.Labels, map[string]string{daemonset.LabelHash: a.Hash}), CreationTimestamp: now,
		NodeName: a.Node, Phase: podorder.Pending,
	}}
	if a.Generation != "" {
		p.Labels[daemonset.LabelGeneration] = a.Generation
	}
	if a.Gate {
		p.ReadinessGates = []string{inplace.Gate}
	}
	for _, r := range s.Revisions {
		if a.Gate && r.Labels[daemonset.LabelHash] == a.Hash {
			p.Containers = inplace.Containers(r.Data)
		}
	}
	return p
}

func objectOf(action daemonset.Action) (o daemonset.Object) {
	switch a := action.(type) {
	case daemonset.UpdateRevision:
		o = a.Object
	case daemonset.AdoptRevision:
		o = a.Object
	case daemonset.ReleaseRevision:
		o = a.Object
	case daemonset.DeleteRevision:
		o = a.Object
	case daemonset.AdoptPod:
		o = a.Object
	case daemonset.ReleasePod:
		o = a.Object
	case daemonset.RelabelPod:
		o = a.Object
	case daemonset.DeletePod:
		o = a.Object
	case daemonset.PreparePod:
		o = a.Object
	case daemonset.UpdatePod:
		o = a.Object
	case daemonset.RefreshPod:
		o = a.Object
	}
	return o
}

func applyToRevision(s *daemonset.Snapshot, action daemonset.Action) error {
	o := objectOf(action)
	i := slices.IndexFunc(s.Revisions, func(r revision.ControllerRevision) bool { return r.Name == o.Name && r.UID == o.UID })
	if i < 0 {
		return fmt.Errorf("no revision %s with UID %q", o.Name, o.UID)
	}
	r := &s.Revisions[i]
	switch a := action.(type) {
	case daemonset.UpdateRevision:
		r.Revision = a.To
		if a.Hash != "" {
			r.Labels = with(r.Labels, map[string]string{daemonset.LabelHash: a.Hash})
		}
	case daemonset.AdoptRevision:
		r.ControllerKind, r.ControllerName, r.ControllerUID = daemonset.Kind, s.DaemonSet.Name, s.DaemonSet.UID
	case daemonset.ReleaseRevision:
		r.ControllerKind, r.ControllerName, r.ControllerUID = "", "", ""
	case daemonset.DeleteRevision:
		s.Revisions = slices.Delete(s.Revisions, i, i+1)
	}
	return nil
}

func applyToDaemon(s *daemonset.Snapshot, action daemonset.Action, now time.Time) error {
	o := objectOf(action)
	i := slices.IndexFunc(s.Pods, func(p daemonset.Pod) bool { return p.Name == o.Name && p.UID == o.UID })
	if i < 0 {
		return fmt.Errorf("no pod %s with UID %q for %v", o.Name, o.UID, action)
	}
	p := &s.Pods[i]
	switch a := action.(type) {
	case daemonset.AdoptPod:
		p.ControllerKind, p.ControllerName, p.ControllerUID = daemonset.Kind, s.DaemonSet.Name, s.DaemonSet.UID
	case daemonset.ReleasePod:
		p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", ""
	case daemonset.RelabelPod:
		p.Labels = with(p.Labels, map[string]string{daemonset.LabelHash: a.To})
	case daemonset.DeletePod:
		if p.DeletionTimestamp.IsZero() {
			p.DeletionTimestamp = now
		}
	case daemonset.PreparePod:
		if a.State != "" {
			p.Labels = with(p.Labels, map[string]string{daemonset.LabelState: a.State})
			p.Annotations = with(p.Annotations, map[string]string{daemonset.AnnotationStateSince: a.Since.Format(time.RFC3339)})
		}
		if a.NotReady {
			p.Ready = false
		}
	case daemonset.UpdatePod:
		p.Labels = with(p.Labels, map[string]string{daemonset.LabelHash: a.To})
		p.Ready, p.InPlace = false, &inplace.ReadyCondition{Reason: "StartInPlaceUpdate"}
		patchDaemon(p, &a.Patch)
	case daemonset.RefreshPod:
		if a.OpenGate {
			p.InPlace = &inplace.ReadyCondition{True: true}
		}
		if a.DropGrace {
			p.Annotations = with(p.Annotations, nil)
			delete(p.Annotations, inplace.AnnotationGrace)
		}
		if a.Patch != nil {
			patchDaemon(p, a.Patch)
		}
	}
	return nil
}

// patchDaemon writes a batch of an update in place.
func patchDaemon(p *daemonset.Pod, batch *inplace.Put) {
	p.Containers = slices.Clone(p.Containers)
	for i := range p.Containers {
		if image, ok := batch.Images[p.Containers[i].Name]; ok {
			p.Containers[i].Image = image
		}
	}
	p.Labels, p.Annotations = with(p.Labels, batch.Labels), with(p.Annotations, batch.Annotations)
	for _, key := range batch.RemoveLabels {
		delete(p.Labels, key)
	}
	for _, key := range batch.RemoveAnnotations {
		delete(p.Annotations, key)
	}
	p.Annotations[inplace.AnnotationState] = encode(batch.State)
}

// rolloutTarget returns the kind of object that an action of a rollout changes, and
// the UID that it expects.
func rolloutTarget(action kruise.Action) (kind, uid string) {
	switch a := action.(type) {
	case kruise.SetFinalizer:
		return a.Kind, a.UID
	case kruise.PatchRollout:
		return "Rollout", a.UID
	case kruise.PatchWorkload:
		return "Workload", a.UID
	case kruise.UpdateBatchRelease:
		return "BatchRelease", a.UID
	case kruise.PatchBatchRelease:
		return "BatchRelease", a.UID
	case kruise.DeleteBatchRelease:
		return "BatchRelease", a.UID
	case kruise.CreateBatchRelease:
		return "Owner", a.OwnerUID
	case kruise.CreateService:
		return "Owner", a.OwnerUID
	}
	return "", ""
}
