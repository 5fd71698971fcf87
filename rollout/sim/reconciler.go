// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/rollout/sim/internal/controllers"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// A Reconciler is a controller of your own: a function from a view to writes. The view
// may be old, any write may fail, it may be stopped between two, and there may be another
// one of its name.
type Reconciler struct {
	Name string // as what it writes; the Role of its changes
	// For is the kind of the objects that it looks at: one of the constants but the Rollouts, or
	// the kind of an Object. It looks at an object after a change of it, or of an object that it
	// controls by its ControllerName.
	For Kind
	// All lets it look at all of them after any change instead.
	All bool
	// Reconcile looks at an object by its name; it need not exist any more. The writes are
	// carried out in order until one fails, and then it looks again; so it does after an
	// error, and after the time again, if that is not 0.
	Reconcile func(v View, name string) (writes []Write, again time.Duration, err error)
	// Forget drops its memory, as a crash does; nil if it keeps none.
	Forget func()
}

// A Write is what a Reconciler asks for. If the object has a UID or a ResourceVersion, the stored
// one must have the same, or the write fails, unless Verb is Create. To delete a missing object is
// no failure.
type Write struct {
	Verb Verb // but Remove
	// Object is a *podorder.Pod, *replicaset.ReplicaSet, which is a ReplicationController if its Kind
	// says so, *deploy.Deployment, *cluster.Object, or, for
	// in the place of the controllers of DaemonSets and Sets, a *daemonset.DaemonSet,
	// *daemonset.Pod, *revision.ControllerRevision or *cluster.Set. A new one gets its UID from the
	// store, and a pod without a name one that begins with its ControllerName. The life of a
	// pod is not the writer's: an update changes its labels, annotations and controller, and
	// lets it start again if that is an update in place: of a pod of a Set to another revision,
	// or of a DaemonSet's that closes its gate.
	Object any
}

// own are the controllers of the caller as the engine calls them.
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
