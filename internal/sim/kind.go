// SPDX-License-Identifier: Apache-2.0

package sim

// A Kind is a kind of objects.
type Kind uint8

// The kinds.
const (
	KindDeployment Kind = iota
	KindReplicaSet
	KindPod
	KindDaemonSet
	KindDaemon // a pod of a DaemonSet
	KindNode
	KindRevision
	KindSet // a CloneSet or a StatefulSet
	KindRollout
	KindBatchRelease
	KindService
	KindRoute
	KindIngress
	kinds = iota
)

// String returns the name of the kind.
func (k Kind) String() string {
	return [kinds]string{
		"Deployment", "ReplicaSet", "Pod", "DaemonSet", "daemon Pod", "Node", "ControllerRevision", "Set", "Rollout", "BatchRelease",
		"Service", "HTTPRoute", "Ingress",
	}[k]
}
