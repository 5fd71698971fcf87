// SPDX-License-Identifier: Apache-2.0

package cluster

// A Quota is a ResourceQuota: what the pods of a namespace may take of resources together.
type Quota struct {
	Name string `json:"name"` // "namespace/name"; without a slash the namespace is ""
	// Hard is the most of each resource by its name in Kubernetes: pods (but finished ones), count/pods,
	// cpu or requests.cpu, memory or requests.memory, limits.cpu, limits.memory, and so on, such as
	// requests.nvidia.com/gpu. Amounts are in the units of Template.Needs: of CPU in thousandths. What
	// is not in Snapshot.Resources is taken by no pod.
	Hard map[string]int64 `json:"hard,omitempty"`
	// Used is what is taken at the start, if that is more than what the pods of the snapshot take: the
	// difference is taken by pods that are not here, and stays so. Usage then follows the pods.
	Used map[string]int64 `json:"used,omitempty"`
	// Scopes say whose pods count: those that match all of them.
	Scopes []QuotaScope `json:"scopes,omitempty"`
}

// A QuotaScope is a condition on pods. No pod here is of the scope Terminating, which are pods with a
// deadline.
type QuotaScope struct {
	Name     string   `json:"name"`              // Terminating, NotTerminating, BestEffort, NotBestEffort or PriorityClass
	Operator string   `json:"operator,omitzero"` // of PriorityClass: In, NotIn, Exists or DoesNotExist; "" means Exists
	Values   []string `json:"values,omitempty"`  // for In and NotIn
}

// The names of scopes.
const (
	ScopeTerminating    = "Terminating"
	ScopeNotTerminating = "NotTerminating"
	ScopeBestEffort     = "BestEffort"
	ScopeNotBestEffort  = "NotBestEffort"
	ScopePriorityClass  = "PriorityClass"
)
