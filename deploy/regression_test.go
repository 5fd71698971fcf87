// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"math"
	"testing"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/stretchr/testify/require"
)

// The tests of this file hold inputs on which a plan once differed from what the
// controller of Kubernetes 1.36.3 does.

func TestWrappedRevisionIsLeftOut(t *testing.T) {
	p := reconcile(t, snapshot(web(3), set(1, 3, numbered("9223372036854775807"))))
	create, ok := p.Actions[0].(deploy.CreateReplicaSet)
	require.True(t, ok)
	require.NotContains(t, create.Annotations, revision.AnnotationRevision, "it is below that of no revision at all")
	require.Contains(t, p.Actions, deploy.Action(deploy.AnnotateDeployment{
		Set: map[string]string{revision.AnnotationRevision: "-9223372036854775808"}, Reason: reason.Revision,
	}), "the Deployment gets it all the same")
}

func TestWrappedAvailabilityIsLow(t *testing.T) {
	d := web(math.MaxInt32, limits(0, 1))
	n := set(2, math.MaxInt32)
	p := reconcile(t, snapshot(d, set(1, 1<<30), n))
	require.Equal(t, "none", sizes(p), "the sum of what is available is negative, and so not above the minimum")
}

func TestCopiesGoAlongWithASize(t *testing.T) {
	copies := map[string]string{revision.AnnotationRevision: "bad", "cause": "new image"}
	d := web(3, func(d *deploy.Deployment) { d.Annotations = copies })
	scaled := func(size int32) deploy.Plan { return reconcile(t, snapshot(d, set(2, size, numbered("bad")))) }
	require.Empty(t, scaled(3).Actions, "no reason to write, because the revision does not parse")
	scale, ok := scaled(2).Actions[0].(deploy.ScaleReplicaSet)
	require.True(t, ok)
	require.Equal(t, "new image", scale.Set["cause"], "but they go along")
	require.NotContains(t, scale.Set, revision.AnnotationRevision)
}

func TestWrappedSumOfOldPodsIsNone(t *testing.T) {
	huge := func(rs *replicaset.ReplicaSet) { rs.Status.Replicas = 1 << 30 }
	d := web(3, recreate)
	require.Equal(t, "none", sizes(reconcile(t, snapshot(d, set(1, 0, huge)))))
	d.Template = revision.Template{ID: "v9", Hash: "v9"}
	require.Equal(t, "create web-v9 3", sizes(reconcile(t, snapshot(d, set(1, 0, huge), set(3, 0, huge)))))
}
