// SPDX-License-Identifier: Apache-2.0

package sim

import "github.com/kplan-go/kplan/internal/sim"

// engineKind is a kind as the engine knows it, and whether it is somebody's own.
func engineKind(k Kind) (kind sim.Kind, own bool) {
	switch k {
	case KindDeployment:
		return sim.KindDeployment, false
	case KindReplicaSet:
		return sim.KindReplicaSet, false
	case KindPod:
		return sim.KindPod, false
	case KindDaemonSet:
		return sim.KindDaemonSet, false
	case KindSet:
		return sim.KindSet, false
	case KindRollout:
		return sim.KindRollout, false
	case KindArgoRollout:
		return sim.KindArgoRollout, false
	case KindNode:
		return sim.KindNode, false
	}
	return sim.KindThing, true
}

// verb is what a write does, or the stage of its life that a pod has reached by it.
func verb(h *sim.Happened) Verb {
	switch h.Stage {
	case sim.Terminating:
		return Delete
	case sim.Gone:
		return Remove
	case "":
		return Verb(h.Verb)
	}
	return Verb(h.Stage)
}

// controllersOf are the controllers of ours for a kind.
func controllersOf(k Kind) []sim.Role {
	switch k {
	case KindDeployment:
		return []sim.Role{sim.DeploymentController}
	case KindReplicaSet:
		return []sim.Role{sim.ReplicaSetController}
	case KindDaemonSet:
		return []sim.Role{sim.DaemonSetController}
	case KindSet:
		return []sim.Role{sim.SetController}
	case KindRollout:
		return []sim.Role{sim.RolloutController, sim.BatchController}
	case KindArgoRollout:
		return []sim.Role{sim.ArgoController}
	}
	return nil
}
