// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A Reconciler is a controller of your own: a function from what it sees to writes. What it
// sees may be old, any write may fail, it may be stopped between two, and there may be another
// one of its name.
type Reconciler struct {
	Name string // as what it writes; the Role of its changes
	// For is the kind of the objects that it looks at: one of the constants but the Rollouts, or
	// that of an Object. It looks at one when that has changed, or something that this controls
	// by its ControllerName.
	For Kind
	// All lets it look at all of them after any change instead.
	All bool
	// Reconcile looks at an object by its name; it need not exist any more. The writes are
	// carried out in order until one fails, and then it looks again; so it does after an
	// error, and after the time again, if that is not 0.
	Reconcile func(v View, name string) (writes []Write, again time.Duration, err error)
	// Forget drops what it keeps in memory, which a crash does; nil if that is nothing.
	Forget func()
}

// A Write is what a Reconciler asks for. If the object has a UID or a ResourceVersion, the stored
// one must have the same, or the write fails, but if Verb is Create. To delete what is gone is
// no failure.
type Write struct {
	Verb Verb // but Remove
	// Object is a *podorder.Pod, *replicaset.ReplicaSet, *deploy.Deployment, *Object, or, for
	// who stands in for the controllers of DaemonSets and Sets, a *daemonset.DaemonSet,
	// *daemonset.Pod, *revision.ControllerRevision or *Set. A new one gets its UID from the
	// store, and a pod without a name one that begins with its ControllerName. The life of a
	// pod is not the writer's: an update changes its labels, annotations and controller, and
	// lets it start again if that is an update in place: of a pod of a Set to another revision,
	// or of a DaemonSet's that closes its gate.
	Object any
}

// engine is the controller as the engine calls it.
func (r Reconciler) engine() sim.Reconciler {
	kind, own := engineKind(r.For)
	of := sim.Reconciler{Name: r.Name, For: kind, All: r.All, Forget: r.Forget}
	if own {
		of.Thing = string(r.For)
	}
	of.Reconcile = func(v sim.View, name string) ([]sim.Ask, time.Duration, error) {
		writes, again, err := r.Reconcile(View{&v}, name)
		asks := make([]sim.Ask, 0, len(writes))
		for _, write := range writes {
			asks = append(asks, sim.Ask{Verb: sim.Verb(write.Verb), Object: stored(write.Object)})
		}
		return asks, again, err
	}
	return of
}

// stored is an object as the engine keeps it, and nothing if the pointer is nil.
func stored(object any) any {
	switch o := object.(type) {
	case *Object:
		return kept(o, func() any { t := sim.Thing(*o); return &t })
	case *Set:
		return kept(o, func() any { return &sim.Set{Set: podset.Set(*o)} })
	case *podorder.Pod:
		return kept(o, func() any { return o })
	case *replicaset.ReplicaSet:
		return kept(o, func() any { return o })
	case *deploy.Deployment:
		return kept(o, func() any { return o })
	case *daemonset.DaemonSet:
		return kept(o, func() any { return o })
	case *daemonset.Pod:
		return kept(o, func() any { return o })
	case *revision.ControllerRevision:
		return kept(o, func() any { return o })
	}
	return object
}

func kept[T any](o *T, as func() any) any {
	if o == nil {
		return nil
	}
	return as()
}
