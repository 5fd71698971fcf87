package daemonset_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// execute carries out a plan on a snapshot.
func execute(s *daemonset.Snapshot, p daemonset.Plan, now time.Time) {
	for _, a := range p.Actions {
		executeOne(s, a, now)
	}
	s.DaemonSet.Status, s.Backoff = p.Status, p.Backoff
}

func executeOne(s *daemonset.Snapshot, a daemonset.Action, now time.Time) {
	find := func(name string) *daemonset.Pod {
		return &s.Pods[slices.IndexFunc(s.Pods, func(p daemonset.Pod) bool { return p.Name == name })]
	}
	findRevision := func(name string) int {
		return slices.IndexFunc(s.Revisions, func(r revision.ControllerRevision) bool { return r.Name == name })
	}
	switch a := a.(type) {
	case daemonset.CreatePod:
		s.Pods = append(s.Pods, created(s, a, now))
	case daemonset.DeletePod:
		s.Pods = slices.DeleteFunc(s.Pods, func(p daemonset.Pod) bool { return p.Name == a.Name })
	case daemonset.PreparePod:
		find(a.Name).Labels[daemonset.LabelState] = a.State
	case daemonset.UpdatePod:
		p := find(a.Name)
		p.Labels[daemonset.LabelHash], p.Ready, p.InPlace = a.To, false, &inplace.ReadyCondition{Reason: "StartInPlaceUpdate"}
		put(p, &a.Patch)
	case daemonset.RefreshPod:
		p := find(a.Name)
		if a.OpenGate {
			p.InPlace, p.Ready, p.ReadySince = &inplace.ReadyCondition{True: true}, true, now
		}
		if a.DropGrace {
			delete(p.Annotations, inplace.AnnotationGrace)
		}
		if a.Patch != nil {
			put(p, a.Patch)
		}
	case daemonset.RelabelPod:
		find(a.Name).Labels[daemonset.LabelHash] = a.To
	case daemonset.AdoptPod:
		p := find(a.Name)
		p.ControllerKind, p.ControllerName, p.ControllerUID = "DaemonSet", s.DaemonSet.Name, s.DaemonSet.UID
	case daemonset.ReleasePod:
		p := find(a.Name)
		p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", ""
	case daemonset.AdoptRevision:
		s.Revisions[findRevision(a.Name)].ControllerUID = s.DaemonSet.UID
	case daemonset.ReleaseRevision:
		s.Revisions[findRevision(a.Name)].ControllerUID = ""
	case daemonset.CreateRevision:
		s.Revisions = append(s.Revisions, revision.ControllerRevision{
			Name: a.Name, UID: "uid-" + a.Name, Labels: a.Labels, ControllerKind: "DaemonSet", ControllerName: s.DaemonSet.Name,
			ControllerUID: s.DaemonSet.UID, Data: a.Data, Revision: a.Revision,
		})
	case daemonset.UpdateRevision:
		r := &s.Revisions[findRevision(a.Name)]
		r.Revision = a.To
		if a.Hash != "" {
			r.Labels = maps.Clone(r.Labels)
			r.Labels[daemonset.LabelHash] = a.Hash
		}
	case daemonset.DeleteRevision:
		i := findRevision(a.Name)
		s.Revisions = slices.Delete(s.Revisions, i, i+1)
	default:
		panic(fmt.Sprintf("unknown action %T", a))
	}
}

func created(s *daemonset.Snapshot, a daemonset.CreatePod, now time.Time) daemonset.Pod {
	name := fmt.Sprintf("new-%s-%d-%d", a.Node, now.Unix(), len(s.Pods))
	p := daemonset.Pod{Pod: podorder.Pod{
		Name: name, UID: "uid-" + name, ControllerKind: "DaemonSet", ControllerName: s.DaemonSet.Name, ControllerUID: s.DaemonSet.UID,
		Labels: map[string]string{"app": "agent", daemonset.LabelHash: a.Hash}, CreationTimestamp: now,
		NodeName: a.Node, Phase: podorder.Pending,
	}}
	if a.Generation != "" {
		p.Labels[daemonset.LabelGeneration] = a.Generation
	}
	if a.Gate {
		p.ReadinessGates = []string{inplace.Gate}
		for _, r := range s.Revisions {
			if r.Labels[daemonset.LabelHash] == a.Hash {
				p.Containers = inplace.Containers(r.Data)
			}
		}
	}
	return p
}

// put writes a batch of an update in place.
func put(p *daemonset.Pod, batch *inplace.Put) {
	for i := range p.Containers {
		if image, ok := batch.Images[p.Containers[i].Name]; ok {
			p.Containers[i].Image = image
		}
	}
	if p.Annotations == nil {
		p.Annotations = map[string]string{}
	}
	maps.Copy(p.Labels, batch.Labels)
	maps.Copy(p.Annotations, batch.Annotations)
	for _, key := range batch.RemoveLabels {
		delete(p.Labels, key)
	}
	for _, key := range batch.RemoveAnnotations {
		delete(p.Annotations, key)
	}
	state, err := json.Marshal(batch.State)
	if err != nil {
		panic(err)
	}
	p.Annotations[inplace.AnnotationState] = string(state)
}

// settle is the kubelet: pods that go are gone, containers run their images, and all
// pods become ready that are not broken.
func settle(s *daemonset.Snapshot, now time.Time, broken func(p *daemonset.Pod) bool) {
	s.Pods = slices.DeleteFunc(s.Pods, func(p daemonset.Pod) bool { return !p.DeletionTimestamp.IsZero() })
	for i := range s.Pods {
		p := &s.Pods[i]
		for c := range p.Containers {
			p.Containers[c].Status = &inplace.ContainerStatus{Image: p.Containers[c].Image, ImageID: "id-" + p.Containers[c].Image, Ready: true}
		}
		closed := p.InPlace != nil && !p.InPlace.True
		if !p.Ready && !closed && !p.Finished() && p.NodeName != "" && (broken == nil || !broken(p)) {
			p.Ready, p.ReadySince, p.Phase = true, now, podorder.Running
		}
	}
}
