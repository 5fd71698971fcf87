// SPDX-License-Identifier: Apache-2.0

package workload

// Traits are the properties of a kind of workload that matter to its rollout.
type Traits struct {
	// Paused: admission pauses it, and a label keeps its stable revision.
	Paused bool `json:"paused,omitzero"`
	// ExtraCanary: an extra Deployment may hold its new pods.
	ExtraCanary bool `json:"extraCanary,omitzero"`
	// RollbackInBatches: a rollback may go through the steps as well.
	RollbackInBatches bool `json:"rollbackInBatches,omitzero"`
	// SizedByNodes: it is admitted even if it wants no pods.
	SizedByNodes bool `json:"sizedByNodes,omitzero"`
	// AnyStrategy: it is admitted whatever the type of its strategy is.
	AnyStrategy bool `json:"anyStrategy,omitzero"`
	// OneVersion: with traffic routing it is admitted only if all pods are of one version.
	OneVersion bool `json:"oneVersion,omitzero"`
}
