// SPDX-License-Identifier: Apache-2.0

package invariant

// daemonSet returns the invariants of DaemonSets.
func daemonSet() []Invariant {
	pass := func(f func(*daemonView) []string) []check {
		return []check{on[DaemonSetPass](func(p *DaemonSetPass) []string {
			if v := daemonsOf(p); !v.stopped {
				return f(v)
			}
			return nil
		})}
	}
	return []Invariant{
		{Name: "placement", Title: "daemon pods run on the nodes that node name, labels, affinity and taints allow", Source: "upstream: nodeShouldRunDaemonPod", checks: pass(placement)},
		{Name: "one pod per node", Title: "a node gets one pod, or two within the surge", Source: "kubernetes#54096", checks: pass(onePodPerNode)},
		{Name: "unavailable nodes bound", Title: "without surge, no more nodes are unavailable than maxUnavailable, or than before", Source: "kubernetes#123232",
			Corrected: true, Defects: []string{"daemonset.OldUnavailableNotCounted"}, checks: pass(unavailableNodesBound)},
		{Name: "surging nodes bound", Title: "no more nodes surge than maxSurge, or than before", Source: "upstream: rollingUpdate with surge", checks: pass(surgingNodesBound)},
		{Name: "unavailable old pods first", Title: "unavailable old pods are deleted first, and count if the policy is strict", Source: "kruise#1323", checks: pass(unavailableOldPodsFirst)},
		{Name: "dead nodes bound", Title: "no more dead nodes are skipped than the limit", Source: "kubernetes#117658", checks: pass(deadNodesBound)},
		{Name: "failed pods back off", Title: "a failed pod waits for its backoff, which doubles up to a maximum", Source: "upstream: failedPodsBackoff", checks: pass(failedPodsBackOff)},
		{Name: "misplaced pods go", Title: "pods are deleted from nodes that may not keep them", Source: "upstream: podsShouldBeOnNode", checks: pass(misplacedPodsGo)},
		{Name: "update stops at the partition", Title: "an update stops at the partition, and reaches it", Source: "kruise: advanced DaemonSet",
			Corrected: true, Defects: []string{"daemonset.SharesOfLastStatus"}, checks: append(pass(updateStopsAtThePartition), on[DaemonSetTrace](updateStopsAtThePartitionTrace))},
		{Name: "selected nodes only", Title: "only selected nodes are updated", Source: "kruise: advanced DaemonSet", checks: pass(selectedNodesOnly)},
		{Name: "paused update", Title: "while paused, nothing is updated, and missing pods are created", Source: "kubernetes#86619", checks: pass(pausedUpdate)},
		{Name: "pre-delete hook holds", Title: "a pod that a hook protects is marked and not deleted", Source: "kruise: lifecycle", checks: pass(preDeleteHookHolds)},
		{Name: "one revision per template", Title: "one revision has the template, and unused old ones beyond the limit are deleted", Source: "upstream: constructHistory", checks: pass(oneRevisionPerTemplate)},
		{Name: "cordon changes nothing", Title: "a cordon changes nothing", Source: "kubernetes#114877", checks: []check{on[DaemonSetPlanner](cordonChangesNothing)}},
		{Name: "DaemonSet status recount", Title: "the counts of the status equal a recount", Source: "upstream: updateDaemonSetStatus", checks: pass(daemonSetStatusRecount)},
		{Name: "burst bound", Title: "creations, deletions and updates stay within the burst", Source: "upstream: syncNodes", checks: pass(burstBound)},
	}
}
