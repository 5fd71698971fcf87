// SPDX-License-Identifier: Apache-2.0

package daemonset

// Options adjusts [Reconcile]. The zero Options decides as Kubernetes 1.37 does
// with its default feature gates, quirks included.
type Options struct {
	// Dialect chooses the system to follow where Kubernetes and OpenKruise differ on the same
	// input. Fields of OpenKruise alone work in both dialects.
	Dialect Dialect `json:"dialect,omitzero"`
	// Repair is the quirks of the original that are repaired. Where a quirk does not show, its
	// repair changes nothing. See [RepairAll] and [QuirkTable].
	Repair Quirks `json:"repair,omitzero"`

	// The following fields are policies: they change the desired state. The zero value of each
	// is upstream's behaviour.

	// Prune leaves pods on missing nodes, and on nodes that should not run one, out of
	// the rollout. It is the gate DaemonSetPruneIneligibleNodes of OpenKruise.
	Prune bool `json:"prune,omitzero"`
	// BindDirectly asks that the executor of the plan bind pods, instead of the scheduler, as
	// OpenKruise can.
	BindDirectly bool `json:"bindDirectly,omitzero"`
	// VerticalScaling updates pods in place also if cpu and memory of containers change, by
	// the subresource resize of pods, unless that changes the quality of service. It is the
	// gate InPlaceWorkloadVerticalScaling of OpenKruise, off by default there.
	VerticalScaling bool `json:"verticalScaling,omitzero"`
	// StrictUnavailable counts the replacement of unavailable old pods against
	// maxUnavailable as well, instead of deleting all of them at once.
	StrictUnavailable bool `json:"strictUnavailable,omitzero"`
	// SkipDeadNodes is how many nodes that do not answer an update may leave out: their pods are
	// neither deleted nor counted as unavailable. Further dead nodes count as usual, so that an
	// update which kills nodes stops.
	SkipDeadNodes int32 `json:"skipDeadNodes,omitzero"`
	// KeepHealthyDuplicate keeps, of several pods on a node, an available pod before a new pod
	// before the oldest pod, instead of the oldest.
	KeepHealthyDuplicate bool `json:"keepHealthyDuplicate,omitzero"`
	// FiniteTolerationMeansNo creates no pods that a taint would soon evict.
	FiniteTolerationMeansNo bool `json:"finiteTolerationMeansNo,omitzero"`
	// KeepUserTolerations keeps the seconds of tolerations in the template where default
	// tolerations would replace them.
	KeepUserTolerations bool `json:"keepUserTolerations,omitzero"`
	// PartitionCreatesOld creates pods of the newest old revision, instead of the current one,
	// on empty nodes that the partition reserves.
	PartitionCreatesOld bool `json:"partitionCreatesOld,omitzero"`
	// SumHolds replaces the holds of nodes that use up the budget of an update or wait for the
	// end of their pods, of which there may be many: there is one [kplan.Hold] for each
	// reason, in the order of the reasons, with the number of nodes as Have. It serves
	// planning for many nodes after every event, see [Tracker], and changes no decision.
	SumHolds bool `json:"sumHolds,omitzero"`
	// Freeze neither creates nor deletes nor updates pods.
	Freeze bool `json:"freeze,omitzero"`
}

// A Dialect is the system to follow where Kubernetes and OpenKruise differ.
type Dialect string

// The dialects.
const (
	Kubernetes Dialect = ""           // apps/v1 of Kubernetes 1.37
	OpenKruise Dialect = "OpenKruise" // apps.kruise.io/v1beta1 of OpenKruise at 07169cfac7b9
)

func (o *Options) kruise() bool { return o.Dialect == OpenKruise }
