// SPDX-License-Identifier: Apache-2.0

package cluster

// A Quota is a ResourceQuota: a limit of the resources of the pods of a namespace.
type Quota struct {
	Name string `json:"name"` // "namespace/name"; without a slash the namespace is ""
	// Hard is the limit of each resource by its name in Kubernetes: pods (without finished ones),
	// count/pods, cpu or requests.cpu, memory or requests.memory, limits.cpu, limits.memory, and so
	// on, such as requests.nvidia.com/gpu. Amounts are in the units of Template.Needs: CPU in
	// thousandths. No pod uses a resource that is not in Snapshot.Resources.
	Hard map[string]int64 `json:"hard,omitempty"`
	// Used is the usage at the start, if it is more than the usage of the pods of the snapshot: the
	// difference is used by pods outside the snapshot, and stays. Usage then follows the pods.
	Used map[string]int64 `json:"used,omitempty"`
	// Scopes limit the quota to pods that match all of them.
	Scopes []QuotaScope `json:"scopes,omitempty"`
}

// A QuotaScope is a condition on pods. No simulated pod is in the scope Terminating, which is for
// pods with a deadline.
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
