// SPDX-License-Identifier: Apache-2.0

package kube

// Features that a world does not support. [World] names the ones that its objects use, in Unseen of
// the snapshot.
const (
	unseenResourceClaims = "resource claims (dynamic resource allocation)"
	unseenGates          = "scheduling gates of pod templates"
	unseenPreferences    = "preferences of nodes (preferred affinity, ScheduleAnyway)"
	unseenNamespaces     = "namespaceSelector of pod affinity"
	unseenClaims         = "volumes whose claims are not in the input"
	unseenClaimTemplates = "volumes of volume claim templates"
	unseenVolumes        = "where volumes are (node affinity of persistent volumes)"
	unseenNodeLabels     = "labels of nodes that are not in the input"
	unseenOtherPods      = "labels, ports and volumes of pods of other workloads"
	unseenSet            = "one of two sets of pods with the same name"
	unseenClaimLimits    = "limit ranges of persistent volume claims"
	unseenQuota          = "quotas of other objects than pods, such as "
	unseenScope          = "quotas with the scope "
)
