// SPDX-License-Identifier: Apache-2.0

package daemonset

import "github.com/kplan-go/kplan/daemonset/quirk"

// Options adjusts [Reconcile]. The zero Options decides as Kubernetes 1.37 does
// with its default feature gates, quirks included.
type Options struct {
	// Dialect chooses the system to follow where Kubernetes and OpenKruise differ on the same
	// input. Fields that only OpenKruise has, such as Partition, work in both dialects.
	Dialect Dialect `json:"dialect,omitzero"`
	// Repair is the set of quirks of upstream to repair, see [quirk.Table] and [quirk.All]. The
	// repair of a quirk changes no plan that the quirk does not affect.
	Repair quirk.Set `json:"repair,omitzero"`

	// The following fields are policies: alternatives to intended behaviour of upstream. The
	// zero value of each is upstream's behaviour.

	// Prune excludes from the update nodes that do not exist or should not run a pod: their
	// pods are neither updated nor counted against the budget. It is the gate
	// DaemonSetPruneIneligibleNodes of OpenKruise.
	Prune bool `json:"prune,omitzero"`
	// BindDirectly sets spec.nodeName of created pods, so that the scheduler does not bind
	// them, as OpenKruise can.
	BindDirectly bool `json:"bindDirectly,omitzero"`
	// VerticalScaling also updates pods in place if cpu or memory of containers change, with
	// the subresource resize of pods, unless the change gives pods another quality of service.
	// It is the gate InPlaceWorkloadVerticalScaling of OpenKruise, off by default there.
	VerticalScaling bool `json:"verticalScaling,omitzero"`
	// StrictUnavailable counts the deletions of unavailable old pods, too, against
	// maxUnavailable. Upstream deletes all of them at once.
	StrictUnavailable bool `json:"strictUnavailable,omitzero"`
	// SkipDeadNodes is the largest number of dead nodes that an update without surge skips. A
	// dead node has the taint node.kubernetes.io/not-ready or node.kubernetes.io/unreachable.
	// The pods of a skipped node are neither deleted nor counted as unavailable. Further dead
	// nodes count as usual, so that an update that kills nodes stops.
	SkipDeadNodes int32 `json:"skipDeadNodes,omitzero"`
	// KeepHealthyDuplicate decides which of several pods on a node stays: an available pod if
	// there is one, then a pod of the current revision, then the oldest. Upstream keeps the
	// oldest pod.
	KeepHealthyDuplicate bool `json:"keepHealthyDuplicate,omitzero"`
	// FiniteTolerationMeansNo creates no pod on a node with a NoExecute taint that the pod
	// tolerates only for some seconds.
	FiniteTolerationMeansNo bool `json:"finiteTolerationMeansNo,omitzero"`
	// KeepUserTolerations keeps a toleration of the template that differs from a default
	// toleration only in its seconds. Upstream replaces it by the default.
	KeepUserTolerations bool `json:"keepUserTolerations,omitzero"`
	// PartitionCreatesOld creates pods of the newest old revision, instead of the current one,
	// on nodes without a pod that the partition keeps out of the update.
	PartitionCreatesOld bool `json:"partitionCreatesOld,omitzero"`
	// SumHolds replaces the holds of single nodes that use up the budget of an update, or wait
	// for the termination of their pods, by one [kplan.Hold] for each reason. They are sorted by
	// reason, with the number of nodes as Have. It changes no decision. Set it to plan after
	// each event with a [Tracker] and many nodes, since there may be such a hold for each node.
	SumHolds bool `json:"sumHolds,omitzero"`
	// Freeze stops creations, deletions and updates of pods. Pods are still adopted, released
	// and relabelled, and revisions are still created.
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
