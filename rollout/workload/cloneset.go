package workload

import "github.com/kplan-go/kplan/rollout"

// cloneSet is a CloneSet of OpenKruise.
type cloneSet struct{}

func (cloneSet) driver(style Style) Driver {
	if style == BlueGreen {
		return DriverBlueGreenCloneSet
	}
	return DriverCloneSet
}

func (cloneSet) inspect(f *State, s *InspectSnapshot) {
	w := &s.Workload
	f.StableRevision, f.CanaryRevision = LastPart(w.StableRevision), LastPart(w.UpdateRevision)
	f.InRollback = w.StableRevision == w.UpdateRevision && w.Status.UpdatedReplicas != f.Replicas
	f.PodTemplateHash = f.CanaryRevision
}

func (cloneSet) holdBack(w *Workload, _ Quirks) { w.Partition = rollout.Percent(100) }
