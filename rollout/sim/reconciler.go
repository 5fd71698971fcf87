// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/rollout/sim/internal/controllers"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A Reconciler is a controller of the caller: a function from a view to writes. The view may be
// stale, any write may fail, the controller may stop between two writes, and another one with the
// same name may run.
type Reconciler struct {
	Name string // the Role of its changes
	// For is the kind of its objects: one of the constants except the Rollouts, or the kind of an
	// Object. Reconcile is called for an object after a change of it, or of an object that it
	// controls by its ControllerName.
	For Kind
	// All calls it for all objects after any change instead.
	All bool
	// Reconcile plans for an object by its name; the object may not exist any more. The writes are
	// carried out in order until one fails. It is called again after a failed write, after an
	// error, and after the time again, if that is not 0.
	Reconcile func(v View, name string) (writes []Write, again time.Duration, err error)
	// Forget drops its memory, as a crash does; nil if it has no memory.
	Forget func()
}

// A Write is a request of a Reconciler. If the object has a UID or a ResourceVersion, the stored
// one must have the same, or the write fails, unless Verb is Create. Deleting a missing object
// succeeds.
type Write struct {
	Verb Verb // but Remove
	// Object is a *podorder.Pod, *replicaset.ReplicaSet, which is a ReplicationController if its Kind
	// says so, *deploy.Deployment or *cluster.Object. A Reconciler that replaces the controllers of
	// DaemonSets and Sets also writes a *daemonset.DaemonSet, *daemonset.Pod,
	// *revision.ControllerRevision or *cluster.Set. A new object gets its UID from the store, and a
	// pod without a name gets a name that begins with its ControllerName.
	//
	// A write does not set the stage of a pod: an update changes its labels, annotations and
	// controller. The pod starts again if that is an update in place: of a pod of a Set to another
	// revision, or of a pod of a DaemonSet with a gate that it closes.
	Object any
}

// own returns the controllers of the caller for the engine.
func (c *Config) own() (list []controllers.Reconciler) {
	for _, r := range c.Controllers {
		of := controllers.Reconciler{Name: r.Name, For: r.For.stored(), All: r.All, Forget: r.Forget}
		if of.For == store.KindObject {
			of.Object = string(r.For)
		}
		of.Reconcile = func(v controllers.View, name string) ([]controllers.Write, time.Duration, error) {
			writes, again, err := r.Reconcile(View{v}, name)
			asked := make([]controllers.Write, len(writes))
			for i, write := range writes {
				asked[i] = controllers.Write{Verb: store.Verb(write.Verb), Object: write.Object}
			}
			return asked, again, err
		}
		list = append(list, of)
	}
	return list
}
