// SPDX-License-Identifier: Apache-2.0

package rollout

// ClusterAPI returns the policy of a MachineDeployment of Cluster API (commit ae7ff047) with the
// strategy RollingUpdate. A set is a MachineSet: There are its machines, and Moves and Busy are set
// if an extension updates machines in place. The policy of its strategy OnDelete is
// Policy{OnDelete: true}.
func ClusterAPI() Policy {
	return Policy{Counting: Counting{ExactSums: true}, Together: true, CountLarger: true, WorstCase: true, BreakDeadlock: true}
}

// MachineController returns the policy of a MachineDeployment of machine-controller-manager (commit
// 54caf546). A set is a MachineSet: There are its machines. A set that wants no machines has none
// Available. Add FreezeOvershoot if machines may be created faster than the controller counts them.
func MachineController() Policy { return Policy{CountThere: true, ScaleNewest: true} }

// Agones returns the policy of a Fleet of Agones (commit b19d5fe7) with the feature gate
// RollingUpdateFix. A set is a GameServerSet: There are its game servers, Available the ready ones,
// and Protected the allocated ones, which have players. Without the gate unset OfReady.
func Agones() Policy {
	return Policy{Counting: Counting{ExactSums: true, ProtectedApart: true}, Together: true, CountThere: true, WaitForNew: true, OfReady: true}
}
