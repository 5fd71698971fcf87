package kube

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A DaemonSetReport is what became of a plan for a DaemonSet.
type DaemonSetReport struct {
	Creates []replicaset.Outcome // of CreatePod, in order; one that was skipped has no answer
	Deletes []replicaset.Outcome // of DeletePod, in order
	// Collisions is not nil if another revision has the name of the new one. Then write
	// it as the collision count of the stored status, and plan again.
	Collisions *int32
	// Stopped is whether a call about revisions or ownership failed. The status of the
	// plan is void then. After pods that could not be created or deleted it is not.
	Stopped bool
	// Err joins all errors. If it is not nil plan again.
	Err error
}

// ExecuteDaemonSet makes the calls of a plan for ds, in order, those of consecutive
// creations in batches that double and those of consecutive deletions all at once.
// Revisions are those that the plan was made from.
//
// Calls with pods are repeated as in [ExecuteReplicaSet]. It stops at the first call about
// revisions and ownership that fails. Pods that could
// not be created keep none from being deleted. The steps of an update in place are not
// known here and fail.
func ExecuteDaemonSet(ctx context.Context, c Client, ds *appsv1.DaemonSet, revisions []*appsv1.ControllerRevision, p daemonset.Plan) DaemonSetReport {
	e := daemonExecutor{client: c, ds: orEmpty(ds), revisions: map[string]*appsv1.ControllerRevision{}}
	for _, r := range revisions {
		e.revisions[r.Name] = r
	}
	for rest := p.Actions; len(rest) > 0 && !e.report.Stopped; {
		if creates := run[daemonset.CreatePod](rest); len(creates) > 0 {
			e.create(ctx, creates)
			rest = rest[len(creates):]
			continue
		}
		if deletes := run[daemonset.DeletePod](rest); len(deletes) > 0 {
			e.delete(ctx, deletes)
			rest = rest[len(deletes):]
			continue
		}
		if err := e.do(ctx, rest[0]); err != nil {
			e.errs, e.report.Stopped = append(e.errs, fmt.Errorf("%s: %w", rest[0], err)), true
		}
		rest = rest[1:]
	}
	e.report.Err = errors.Join(e.errs...)
	return e.report
}

// ExpectDaemonSet returns how many pods a plan creates and the names of those that it
// deletes: the expectations to raise before it is executed.
func ExpectDaemonSet(p daemonset.Plan) (creations int64, deletions []string) {
	for _, a := range p.Actions {
		switch a := a.(type) {
		case daemonset.CreatePod:
			creations++
		case daemonset.DeletePod:
			deletions = append(deletions, a.Name)
		}
	}
	return creations, deletions
}

// DaemonSetStatusRequest returns the write of a status of ds, and whether anything
// differs. It fails with a conflict if ds has changed since it was read.
func DaemonSetStatusRequest(ds *appsv1.DaemonSet, s daemonset.Status) (Request, bool) {
	updated := orEmpty(ds).DeepCopy()
	updated.Status = DaemonSetStatus(s)
	updated.Status.Conditions = ds.Status.Conditions
	if equality.Semantic.DeepEqual(ds.Status, updated.Status) {
		return Request{}, false
	}
	return Request{Verb: VerbUpdate, Object: updated, Subresource: "status"}, true
}

// run returns the actions of one type that a list begins with.
func run[T daemonset.Action](list daemonset.Actions) []T {
	var same []T
	for _, a := range list {
		t, ok := a.(T)
		if !ok {
			break
		}
		same = append(same, t)
	}
	return same
}

type daemonExecutor struct {
	client    Client
	ds        *appsv1.DaemonSet
	revisions map[string]*appsv1.ControllerRevision // by name, as last read or written
	live      bool                                  // ds has been checked
	errs      []error
	report    DaemonSetReport
}

func (e *daemonExecutor) create(ctx context.Context, list []daemonset.CreatePod) {
	made := make([]replicaset.Outcome, 0, len(list))
	for batch := 0; len(made) < len(list); {
		batch = daemonset.SlowStart(batch, len(list)-len(made))
		start := len(made)
		made = append(made, all(batch, func(i int) replicaset.Outcome {
			return createPod(ctx, e.client, NewDaemonPod(e.ds, list[start+i]))
		})...)
		if err := failures(made[start:], replicaset.NamespaceTerminating); err != nil {
			e.errs = append(e.errs, err)
			break
		}
	}
	skipped := make([]replicaset.Outcome, len(list)-len(made))
	e.report.Creates = append(append(e.report.Creates, made...), skipped...)
}

func (e *daemonExecutor) delete(ctx context.Context, list []daemonset.DeletePod) {
	made := all(len(list), func(i int) replicaset.Outcome {
		return deletePod(ctx, e.client, e.ds.Namespace, list[i].Name, DeleteDaemonPodOptions(list[i]))
	})
	if err := failures(made, replicaset.NotFound); err != nil {
		e.errs = append(e.errs, err)
	}
	e.report.Deletes = append(e.report.Deletes, made...)
}

// do makes the call of an action about a revision, or about who owns what.
func (e *daemonExecutor) do(ctx context.Context, a daemonset.Action) error {
	switch a := a.(type) {
	case daemonset.AdoptPod:
		return e.adopt(ctx, patchPod(e.ds.Namespace, a.Name, AdoptDaemonPodPatch(e.ds, a)))
	case daemonset.ReleasePod:
		return tolerant(e.client.Do(ctx, patchPod(e.ds.Namespace, a.Name, ReleaseDaemonPodPatch(e.ds, a))), true)
	case daemonset.RelabelPod:
		return e.client.Do(ctx, patchPod(e.ds.Namespace, a.Name, RelabelPodPatch(a)))
	case daemonset.AdoptRevision:
		r := e.revision(a.Name)
		err := e.adopt(ctx, Request{Verb: VerbPatch, Object: r, Patch: AdoptRevisionPatch(e.ds, a)})
		if r.ResourceVersion != "" { // not if it is gone
			e.revisions[a.Name] = r
		}
		return err
	case daemonset.ReleaseRevision:
		release := Request{Verb: VerbPatch, Object: e.revision(a.Name), Patch: ReleaseRevisionPatch(e.ds, a)}
		return tolerant(e.client.Do(ctx, release), true)
	case daemonset.CreateRevision:
		return e.createRevision(ctx, a)
	case daemonset.UpdateRevision:
		r := UpdatedRevision(e.revisions[a.Name], a)
		e.revisions[a.Name] = r
		return e.client.Do(ctx, Request{Verb: VerbUpdate, Object: r})
	case daemonset.DeleteRevision:
		if r := e.revisions[a.Name]; r != nil {
			a.ResourceVersion = r.ResourceVersion
		}
		return tolerant(e.client.Do(ctx, Request{Verb: VerbDelete, Object: e.revision(a.Name), Options: DeleteRevisionOptions(a)}), false)
	}
	return fmt.Errorf("unknown action %T", a)
}

// adopt checks first that the DaemonSet is still there.
func (e *daemonExecutor) adopt(ctx context.Context, r Request) error {
	if !e.live {
		if err := live(ctx, e.client, e.ds, &appsv1.DaemonSet{}, daemonset.Kind); err != nil {
			return err
		}
		e.live = true
	}
	return tolerant(e.client.Do(ctx, r), false)
}

// createRevision stores the template, unless a revision of that name holds it already,
// as one does that the cache has not seen yet.
func (e *daemonExecutor) createRevision(ctx context.Context, a daemonset.CreateRevision) error {
	err := e.client.Do(ctx, Request{Verb: VerbCreate, Object: NewDaemonSetRevision(e.ds, a)})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	existing := e.revision(a.Name)
	if err := e.client.Get(ctx, existing); err != nil {
		return err
	}
	stored := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: e.ds.Namespace, Name: e.ds.Name}}
	if err := e.client.Get(ctx, stored); err != nil {
		return err
	}
	count, err := revision.DaemonSetTaken(e.ds.Name, a.Data, ControllerRevision(existing),
		e.ds.Status.CollisionCount, stored.Status.CollisionCount, revision.Options{})
	if err != nil || count == nil {
		return err
	}
	e.report.Collisions = count
	return fmt.Errorf("another revision has the name %s", a.Name)
}

func (e *daemonExecutor) revision(name string) *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: e.ds.Namespace, Name: name}}
}
