// SPDX-License-Identifier: Apache-2.0

package sim

// wants starts the controller of ours that plays a role, if none does and one may.
func (f *Fleet) wants(r Role) {
	if f.ours[r] {
		return
	}
	f.ours[r] = true
	var make func()
	w, cfg := f.w, &f.cfg
	switch r {
	case DeploymentController:
		make = func() { w.addDeploymentController(cfg.Deployment).plan = cfg.PlanDeploy }
	case ReplicaSetController:
		make = func() { w.addReplicaSetController(cfg.ReplicaSet).plan = cfg.PlanReplicas }
	case DaemonSetController:
		make = func() { w.addDaemonSetController(cfg.DaemonSet).plan = cfg.PlanDaemonSet }
	case SetController:
		make = func() { w.addSetController() }
	case RolloutController:
		f.remembers()
		make = func() { w.addRolloutControllers(cfg.Rollout) }
		f.ours[BatchController] = true
	case ArgoController:
		f.remembers()
		make = func() { w.addArgoController(cfg.Argo) }
	case DaemonHelper:
		make = func() { w.addDaemonHelper() }
	default:
		return
	}
	make()
	c := w.controllers[len(w.controllers)-1]
	if r != RolloutController { // which come in pairs
		f.makers[c.worker] = make
	}
}
