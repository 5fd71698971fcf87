// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
)

// A wrapper wraps the client of an executor.
type wrapper func(*apiserver.Server, kube.Client) kube.Client

func unwrapped(_ *apiserver.Server, c kube.Client) kube.Client { return c }

// wrapped is a client with another function for writes.
type wrapped struct {
	kube.Client
	do func(context.Context, kube.Request) error
}

func (w wrapped) Do(ctx context.Context, r kube.Request) error { return w.do(ctx, r) }

func adopts(r kube.Request) bool {
	var patch struct {
		Metadata struct{ OwnerReferences []metav1.OwnerReference }
	}
	return r.Verb == kube.VerbPatch && json.Unmarshal(r.Patch.Data, &patch) == nil &&
		len(patch.Metadata.OwnerReferences) > 0 && patch.Metadata.OwnerReferences[0].Controller != nil
}

// goneTakenForAdopted is an old defect of executors: an adoption that was answered 404 counts as
// successful.
func goneTakenForAdopted(_ *apiserver.Server, c kube.Client) kube.Client {
	return wrapped{c, func(ctx context.Context, r kube.Request) error {
		if err := c.Do(ctx, r); !adopts(r) || !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	}}
}

// oldVersionAfterAdoption hides the version that an adoption has left, so that the next
// write of the object has the old one as its precondition.
func oldVersionAfterAdoption(s *apiserver.Server, c kube.Client) kube.Client {
	return wrapped{c, func(ctx context.Context, r kube.Request) error {
		if !adopts(r) {
			return c.Do(ctx, r)
		}
		before := s.Stored(apiserver.KeyOf(r.Object))
		err := c.Do(ctx, r)
		if err == nil {
			r.Object.SetResourceVersion(before.GetResourceVersion())
		}
		return err
	}}
}

// noVersionInPatches also patches objects that have changed.
func noVersionInPatches(_ *apiserver.Server, c kube.Client) kube.Client {
	return wrapped{c, func(ctx context.Context, r kube.Request) error {
		body := map[string]any{}
		if metadata := map[string]any(nil); r.Verb == kube.VerbPatch && json.Unmarshal(r.Patch.Data, &body) == nil {
			metadata, _ = body["metadata"].(map[string]any)
			delete(metadata, "resourceVersion")
			delete(metadata, "uid")
			r.Patch.Data = must(json.Marshal(body))
		}
		return c.Do(ctx, r)
	}}
}

// noStatusAfterFailure drops the status after a write of a ReplicaSet that has failed.
func noStatusAfterFailure(_ *apiserver.Server, c kube.Client) kube.Client {
	failed := false
	return wrapped{c, func(ctx context.Context, r kube.Request) error {
		if failed && r.Subresource != "" {
			return nil
		}
		err := c.Do(ctx, r)
		_, set := r.Object.(*appsv1.ReplicaSet)
		failed = failed || err != nil && set && r.Verb == kube.VerbPatch && !adopts(r)
		return err
	}}
}

// otherHash labels new pods with the hash of a revision that they are not made of.
func otherHash(_ *apiserver.Server, c kube.Client) kube.Client {
	return wrapped{c, func(ctx context.Context, r kube.Request) error {
		if pod, ok := r.Object.(*corev1.Pod); ok && r.Verb == kube.VerbCreate {
			pod.Labels[daemonset.LabelHash] = "r0"
		}
		return c.Do(ctx, r)
	}}
}

// storm repeats calls without an answer.
func storm(_ *apiserver.Server, c kube.Client) kube.Client {
	return wrapped{c, func(ctx context.Context, r kube.Request) error {
		err := c.Do(ctx, r)
		for n := 0; n < 30 && unanswered(err); n++ {
			err = c.Do(ctx, r)
		}
		return err
	}}
}

func unanswered(err error) bool {
	var status apierrors.APIStatus
	return err != nil && (apierrors.IsTimeout(err) || !errors.As(err, &status))
}

// TestPlantedExecutorDefects brings the known defects of executors back, and expects that
// the comparison finds each of them within a few thousand cases.
func TestPlantedExecutorDefects(t *testing.T) {
	for _, row := range []struct {
		name  string
		kinds []string
		wrap  wrapper
	}{
		{"adoption answered 404 taken for success", []string{"ReplicaSet", "ReplicationController", "Deployment", "DaemonSet"}, goneTakenForAdopted},
		{"own adoption before a write with the old version", []string{"ReplicaSet", "ReplicationController", "Deployment", "DaemonSet"}, oldVersionAfterAdoption},
		{"stale orphan scaled", []string{"Deployment"}, noVersionInPatches},
		{"status not reported after a failed scaling", []string{"Deployment"}, noStatusAfterFailure},
		{"another hash than that of the template", []string{"DaemonSet"}, otherHash},
		{"storm of repetitions", []string{"ReplicaSet", "ReplicationController", "DaemonSet"}, storm},
	} {
		for _, kind := range row.kinds {
			t.Run(row.name+"/"+kind, func(t *testing.T) {
				inBubble(t, func(t bubble, _ time.Time) {
					const cases = 20_000
					pass := drawCarried(t, kind, row.wrap, kube.NoRetry)
					for i := range cases {
						if p := pass(i); p != nil {
							if _, diff := p.verdict(substitutions); diff != "" {
								t.Logf("found by case %d", i)
								return
							}
						}
					}
					t.Errorf("not found in %d cases", cases)
				})
			})
		}
	}
}

// drawCarried returns the i-th random case of a kind with both sides, nil if its plan
// differs on purpose.
func drawCarried(t bubble, kind string, wrap wrapper, retry kube.Retry) func(i int) *carriedPass {
	var draw func(random.T) (*carriedPass, string)
	switch kind {
	case "Deployment":
		x, err := newCarriedDeployments()
		require.NoError(t, err)
		dc, err := upstream.NewDeployments()
		require.NoError(t, err)
		x.wrap, x.retry = wrap, retry
		draw = func(t random.T) (*carriedPass, string) { return x.draw(t, dc, time.Now()) }
	case "DaemonSet":
		x, err := newCarriedDaemonSets()
		require.NoError(t, err)
		dsc, err := upstream.NewDaemonSets()
		require.NoError(t, err)
		x.wrap, x.retry = wrap, retry
		draw = func(t random.T) (*carriedPass, string) { return x.draw(t, dsc, time.Now()) }
	default:
		x, err := newCarriedReplicas(kind != "ReplicaSet")
		require.NoError(t, err)
		x.wrap, x.retry = wrap, retry
		sync, sets := replicaSetSync(), gen.ReplicaSet
		if kind != "ReplicaSet" {
			sync, sets = replicationControllerSync(), gen.ReplicationController
		}
		draw = func(t random.T) (*carriedPass, string) { return x.draw(t, sync, sets, time.Now()) }
	}
	g := random.Custom(func(t random.T) *carriedPass {
		p, _ := draw(t)
		return p
	})
	return func(i int) *carriedPass { return g.Example(i) }
}

// TestRepetitions checks the default policy: of a creation that was not answered there are
// at most two more calls, and pauses of 110 ms. Nothing else is repeated.
func TestRepetitions(t *testing.T) {
	for _, kind := range []string{"ReplicaSet", "ReplicationController", "Deployment", "DaemonSet"} {
		t.Run(kind, func(t *testing.T) {
			inBubble(t, func(t bubble, _ time.Time) {
				pass := drawCarried(t, kind, unwrapped, kube.RetryCreations)
				repeated := 0
				for i := 0; i < 2000 && repeated < 8; i++ {
					start := time.Now()
					p := pass(i)
					took := time.Since(start)
					if p == nil || !p.creationsFailAlike() {
						continue
					}
					p.again(nil, mode{})
					lost := 0
					for _, c := range p.theirs {
						if c.Verb == apiserver.Create && c.Class.Unanswered() {
							lost++
						}
					}
					if took == 0 { // nothing was repeated
						if _, diff := p.verdict(substitutions); diff != "" {
							t.Fatal(p.report(diff))
						}
						continue
					}
					p.again(nil, mode{})
					require.LessOrEqual(t, len(p.mine), len(p.theirs)+2*lost, "calls")
					require.LessOrEqual(t, took, time.Duration(lost)*110*time.Millisecond)
					repeated++
					time.Sleep(time.Second - took%time.Second) // cases are drawn with the same fraction
				}
				require.NotZero(t, repeated)
			})
		})
	}
}

// creationsFailAlike reports whether creations that fail fail whenever they are tried.
func (p *carriedPass) creationsFailAlike() bool {
	for _, r := range p.rules {
		if r.Verb == apiserver.Create && (r.From > 0 || r.Count == 1) {
			return false
		}
	}
	return true
}
