// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
)

// A neighbour is a planted bug close to an intended difference: where the difference applies, it
// must not explain the bug.
type neighbour struct {
	row, bug, kind string
	wrap           wrapper
}

// neighbours has one bug at least for each intended difference.
var neighbours = []neighbour{
	{"what has changed is not written", "what has changed is taken for written", "Deployment", answered(apierrors.IsConflict, nil)},
	{"what has changed is not written", "a pod that has changed is taken for deleted", "ReplicaSet", answered(apierrors.IsConflict, isDeletion("Pod"))},
	{"a pod whose deletion was answered 409 is left alone", "it is taken for deleted", "ReplicaSet", answered(apierrors.IsConflict, isDeletion("Pod"))},
	{"upstream conflicts with its own writes", "the second write of a ReplicaSet is left out", "Deployment", secondWriteLeftOut},
	{"upstream conflicts with its own writes", "the status is left out", "Deployment", leftOut(isStatus)},
	{"a status that was refused is left to the next pass", "it is taken for written", "ReplicaSet", answered(anyError, isStatus)},
	{"a status that was refused is left to the next pass", "pods are not deleted", "ReplicaSet", leftOut(isDeletion("Pod"))},
	{"a status is written once", "a revision is lost with the rollback", "Deployment", revisionLost},
	{"what follows the creation of a name that was seen to be taken is left to the next pass", "so is its status", "Deployment", leftOut(isStatus)},
	{"the UID alone says whose a pod is", "no old ReplicaSet is scaled down", "Deployment", leftOut(isPatchOf("ReplicaSet"))},
	{"an old ReplicaSet that cannot be shrunk fails the pass", "no status", "Deployment", noStatusAfterFailure},
	{"a ReplicaSet that is shrunk for two reasons is shrunk at once", "by one too few", "Deployment", shrunkTooLittle},
	{"a revision that is gone needs no deletion", "the others stay as well", "DaemonSet", leftOut(isDeletion("ControllerRevision"))},
	{"a revision that is gone needs no deletion", "the status is left out", "DaemonSet", leftOut(isStatus)},
	{"missing node does not fail a surge", "pods are not deleted", "DaemonSet", leftOut(isDeletion("Pod"))},
	{"missing node does not fail a surge", "the status is left out", "DaemonSet", leftOut(isStatus)},
	{"what is adopted is adopted once", "not at all", "DaemonSet", leftOut(adopts)},
	{"a revision whose name is seen to be taken is not created", "the status is left out", "DaemonSet", leftOut(isStatus)},
	{"a duplicate is not labelled before it is deleted", "nor is it deleted", "DaemonSet", leftOut(isDeletion("ControllerRevision"))},
	{"a revision is labelled and renumbered at once", "it is not labelled", "DaemonSet", labelLost},
	{"a rolling update waits for the pass after one that manages", "pods are not deleted", "DaemonSet", leftOut(isDeletion("Pod"))},
	{"a rolling update waits for the pass after one that manages", "other pods are created", "DaemonSet", otherHash},
}

func anyError(error) bool { return true }

// answered takes errors of some requests for success.
func answered(of func(error) bool, is func(kube.Request) bool) wrapper {
	return func(_ *apiserver.Server, c kube.Client) kube.Client {
		return wrapped{c, func(ctx context.Context, r kube.Request) error {
			err := c.Do(ctx, r)
			if err != nil && of(err) && (is == nil || is(r)) {
				return nil
			}
			return err
		}}
	}
}

// leftOut does not make some requests.
func leftOut(is func(kube.Request) bool) wrapper {
	return func(_ *apiserver.Server, c kube.Client) kube.Client {
		return wrapped{c, func(ctx context.Context, r kube.Request) error {
			if is(r) {
				return nil
			}
			return c.Do(ctx, r)
		}}
	}
}

func isStatus(r kube.Request) bool { return r.Subresource == "status" }

func isDeletion(kind string) func(kube.Request) bool {
	return func(r kube.Request) bool { return r.Verb == kube.VerbDelete && apiserver.Kind(r.Object) == kind }
}

func isPatchOf(kind string) func(kube.Request) bool {
	return func(r kube.Request) bool {
		return r.Verb == kube.VerbPatch && apiserver.Kind(r.Object) == kind && !adopts(r) && !releases(r)
	}
}

func releases(r kube.Request) bool {
	return r.Verb == kube.VerbPatch && strings.Contains(string(r.Patch.Data), `"$patch":"delete"`)
}

func secondWriteLeftOut(_ *apiserver.Server, c kube.Client) kube.Client {
	written := map[string]bool{}
	return wrapped{c, func(ctx context.Context, r kube.Request) error {
		if name := r.Object.GetName(); apiserver.Kind(r.Object) == "ReplicaSet" {
			if written[name] {
				return nil
			}
			written[name] = true
		}
		return c.Do(ctx, r)
	}}
}

// revisionLost rolls back without the revision that goes along.
func revisionLost(s *apiserver.Server, c kube.Client) kube.Client {
	return wrapped{c, func(ctx context.Context, r kube.Request) error {
		if d, ok := r.Object.(*appsv1.Deployment); ok && r.Verb == kube.VerbUpdate && r.Subresource == "" {
			delete(d.Annotations, revision.AnnotationRevision)
		}
		return c.Do(ctx, r)
	}}
}

// shrunkTooLittle scales to one more than was planned.
func shrunkTooLittle(_ *apiserver.Server, c kube.Client) kube.Client {
	return wrapped{c, func(ctx context.Context, r kube.Request) error {
		body := map[string]map[string]json.RawMessage{}
		if isPatchOf("ReplicaSet")(r) && json.Unmarshal(r.Patch.Data, &body) == nil {
			if size := 0; json.Unmarshal(body["spec"]["replicas"], &size) == nil {
				body["spec"]["replicas"] = must(json.Marshal(size + 1))
				r.Patch.Data = must(json.Marshal(body))
			}
		}
		return c.Do(ctx, r)
	}}
}

func labelLost(_ *apiserver.Server, c kube.Client) kube.Client {
	return wrapped{c, func(ctx context.Context, r kube.Request) error {
		if cr, ok := r.Object.(*appsv1.ControllerRevision); ok && r.Verb == kube.VerbUpdate {
			delete(cr.Labels, daemonset.LabelHash)
		}
		return c.Do(ctx, r)
	}}
}

// TestSubstitutionsAreNarrow plants bugs where intended differences apply. Every case in which
// the bug has an effect must be found.
func TestSubstitutionsAreNarrow(t *testing.T) {
	for _, d := range substitutions {
		if d.name == noRecheck || d.name == itsOwn || d.name == statusStays {
			continue // each has its own test
		}
		require.True(t, slices.ContainsFunc(neighbours, func(n neighbour) bool { return n.row == d.name }), "no bug beside %q", d.name)
	}
	for _, kind := range []string{"ReplicaSet", "Deployment", "DaemonSet"} {
		t.Run(kind, func(t *testing.T) {
			inBubble(t, func(t bubble, _ time.Time) { testNarrow(t, kind) })
		})
	}
}

func testNarrow(t bubble, kind string) {
	const most, enough = 60_000, 1
	plain := drawCarried(t, kind, unwrapped, kube.NoRetry)
	planted, found := map[neighbourKey]func(int) *carriedPass{}, map[neighbourKey]int{}
	var open []neighbour
	for _, n := range neighbours {
		if n.kind == kind {
			planted[n.key()] = drawCarried(t, kind, n.wrap, kube.NoRetry)
			open = append(open, n)
		}
	}
	for i := 0; i < most && len(open) > 0; i++ {
		p := plain(i)
		if p == nil {
			continue
		}
		intended, diff := p.verdict(substitutions)
		require.Empty(t, diff)
		open = slices.DeleteFunc(open, func(n neighbour) bool {
			if !slices.Contains(intended, n.row) {
				return false
			}
			q := planted[n.key()](i)
			also, diff := q.verdict(substitutions)
			if q.ours.diff(p.ours) == "" {
				return false // it has no effect
			}
			if diff == "" {
				t.Errorf("beside %q: %s: is explained by %q in case %d:\n%s", n.row, n.bug, also, i, q.report(p.ours.diff(q.ours)))
				return true
			}
			t.Logf("beside %q: %s: found in case %d", n.row, n.bug, i)
			found[n.key()]++
			return found[n.key()] == enough
		})
	}
	for _, n := range open {
		if found[n.key()] == 0 {
			t.Errorf("beside %q: %s: has no effect in %d cases", n.row, n.bug, most)
		}
	}
}

// neighbourKey tells neighbours apart.
type neighbourKey struct{ row, bug string }

func (n neighbour) key() neighbourKey { return neighbourKey{n.row, n.bug} }

// The names of rows that are met in a few chains alone.
const (
	noRecheck   = "no recheck of a condition that cannot time out"
	itsOwn      = "a ReplicaSet that was released is not the new one, though it has the name"
	statusStays = "a status that stays as it is is not written"
)

// TestItsOwnIsNarrow: a pass may end with a creation that was refused only if the ReplicaSet is
// the Deployment's, and no collision was counted.
func TestItsOwnIsNarrow(t *testing.T) {
	row := substitutions[slices.IndexFunc(substitutions, func(s substitution) bool { return s.name == itsOwn })]
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "d"}}
	collided := d.DeepCopy()
	collided.Status.CollisionCount = new(int32(1))
	own := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web-1", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))}}}
	another := own.DeepCopy()
	another.OwnerReferences[0].UID = "other"
	for _, c := range []struct {
		why     string
		plan    string
		err     error
		stored  *appsv1.ReplicaSet
		written *appsv1.Deployment
		applies bool
	}{
		{"its own", "web-1 held back: NameTaken", apiserver.Exists.Err(), own, d, true},
		{"not planned to be taken", "", apiserver.Exists.Err(), own, d, false},
		{"refused for another reason", "web-1 held back: NameTaken", apiserver.Internal.Err(), own, d, false},
		{"another's", "web-1 held back: NameTaken", apiserver.Exists.Err(), another, d, false},
		{"a collision", "web-1 held back: NameTaken", apiserver.Exists.Err(), own, collided, false},
	} {
		p := &carriedPass{kind: "Deployment", cached: []metav1.Object{d, c.stored}, owner: apiserver.KeyOf(d), last: c.plan}
		p.mine = []apiserver.Call{{Verb: apiserver.Create, Kind: "ReplicaSet", Name: "web-1", Err: c.err}}
		p.ours = carriedOut{Failed: true, Objects: map[string]apiserver.Object{"Deployment web": c.written}}
		require.Equal(t, c.applies, len(row.answers(p)) > 0, c.why)
	}
}

// TestNoRecheckIsNarrow: a recheck may be missing only if the condition was complete, and is.
func TestNoRecheckIsNarrow(t *testing.T) {
	row := substitutions[slices.IndexFunc(substitutions, func(s substitution) bool { return s.name == noRecheck })]
	with := func(reason string) *appsv1.Deployment {
		return &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: "web"},
			Status:     appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Reason: reason}}},
		}
	}
	const complete, going = "NewReplicaSetAvailable", "ReplicaSetUpdated"
	for _, c := range []struct{ was, is, recheck string }{
		{complete, complete, never}, {complete, going, never}, {going, complete, never}, {going, going, never}, {complete, complete, "1h0m0s"},
	} {
		p := &carriedPass{kind: "Deployment", cached: []metav1.Object{with(c.was)}, owner: apiserver.Key{Kind: "Deployment", Name: "web"}}
		p.ours = carriedOut{Recheck: c.recheck, Objects: map[string]apiserver.Object{"Deployment web": with(c.is)}}
		p.upstream.Recheck = "10s"
		require.Equal(t, c.was == complete && c.is == complete && c.recheck == never, len(row.answers(p)) > 0, "%+v", c)
	}
}

// TestStatusStaysIsNarrow: a status may be left as it is only while the plan waits, and if
// upstream's has the same numbers.
func TestStatusStaysIsNarrow(t *testing.T) {
	row := substitutions[slices.IndexFunc(substitutions, func(s substitution) bool { return s.name == statusStays })]
	with := func(generation int64, ready int32) *appsv1.DaemonSet {
		return &appsv1.DaemonSet{
			ObjectMeta: metav1.ObjectMeta{Name: "web", Generation: 3},
			Status:     appsv1.DaemonSetStatus{ObservedGeneration: generation, NumberReady: ready},
		}
	}
	status := apiserver.Call{Verb: apiserver.Status, Kind: "DaemonSet", Name: "web"}
	refused, changed := status, status
	refused.Err, changed.Changed = apiserver.Conflict.Err(), true
	const waits = "daemon set held back: Unseen"
	for _, c := range []struct {
		why     string
		plan    string
		theirs  []apiserver.Call
		was, is *appsv1.DaemonSet
		applies bool
	}{
		{"over a newer one", waits, []apiserver.Call{refused, changed}, with(2, 5), with(3, 5), true},
		{"other numbers", waits, []apiserver.Call{refused, changed}, with(2, 5), with(3, 4), false},
		{"changed at once", waits, []apiserver.Call{changed}, with(2, 5), with(2, 5), false},
		{"observed", waits, []apiserver.Call{refused, changed}, with(3, 5), with(3, 5), false},
		{"written", waits, []apiserver.Call{refused, changed}, with(2, 5), with(3, 5), false},
		{"no waiting", "", []apiserver.Call{refused, changed}, with(2, 5), with(3, 5), false},
	} {
		p := &carriedPass{kind: "DaemonSet", cached: []metav1.Object{c.was}, owner: apiserver.KeyOf(c.was), note: c.plan, theirs: c.theirs}
		if c.why == "written" {
			p.mine = []apiserver.Call{changed}
		}
		p.upstream.Objects = map[string]apiserver.Object{"DaemonSet web": c.is}
		require.Equal(t, c.applies, len(row.answers(p)) > 0, c.why)
	}
}
