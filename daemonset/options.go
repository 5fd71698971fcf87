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

	// The following fields deviate from the default behaviour of Kubernetes and of OpenKruise,
	// which is the zero value of each. SumHolds changes only how a plan is reported.

	// Prune excludes nodes that do not exist, or should not run a pod, from the update: their
	// pods are neither updated nor counted against the budget. It is the gate
	// DaemonSetPruneIneligibleNodes of OpenKruise.
	Prune bool `json:"prune,omitzero"`
	// BindDirectly sets spec.nodeName of created pods, so that the scheduler does not bind
	// them. OpenKruise has such an option.
	BindDirectly bool `json:"bindDirectly,omitzero"`
	// VerticalScaling also updates pods in place if the CPU or memory of a container changes,
	// with the resize subresource, unless this would change the QoS class of the pods. It is the
	// gate InPlaceWorkloadVerticalScaling of OpenKruise, off by default there.
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
	// PartitionCreatesOld is for nodes without a pod, if the partition keeps them out of the
	// update: there it creates pods of the newest old revision instead of the current one.
	PartitionCreatesOld bool `json:"partitionCreatesOld,omitzero"`
	// SumHolds changes no decision. An update has a hold for each node that uses up the budget or
	// waits for the termination of a pod. SumHolds replaces these holds with one [kplan.Hold] for
	// each reason, sorted by reason; Have is the number of nodes. Set it if you plan after each
	// event, with a [Tracker], in a large cluster.
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
