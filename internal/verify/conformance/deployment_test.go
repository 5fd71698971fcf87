// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/revision"
)

// A deploymentPass is one case with the results of both sides.
type deploymentPass struct {
	c              *gen.DeploymentCase
	in             *gen.DeploymentCase // the input of upstream
	keep           bool                // upstream's writes of sizes below 0 change nothing
	noSelector     bool                // objects created by upstream are compared without their selector
	dc             *upstream.Deployments
	now            time.Time
	result         upstream.Result
	upstream, ours deploymentOutcome
	plan           deploy.Plan
	rejected       error // why there is no plan
}

// passDeployment runs both sides on the same objects. Only fields that upstream cannot do without
// are completed for it: see readable.
func passDeployment(dc *upstream.Deployments, c *gen.DeploymentCase, now time.Time) deploymentPass {
	p := deploymentPass{c: c, in: c, dc: dc, now: now}
	p.ours, p.plan, p.rejected = planOutcome(c, now)
	p.run()
	if p.upstream.Refused && p.ours.Refused { // upstream ends at the first error
		p.upstream.Rejected = p.ours.Rejected
	}
	return p
}

// run runs upstream on its input.
func (p *deploymentPass) run() {
	p.result = p.sync(p.in.Deployment)
	p.upstream = upstreamOutcome(p.in, p.result)
	if p.upstream.Recheck == never {
		p.upstream.Recheck = p.recheckOnceWritten()
	}
	if created := p.upstream.Created; created != nil && p.noSelector {
		p.upstream.Created = created.DeepCopy()
		p.upstream.Created.Spec.Selector = nil
	}
}

func (p *deploymentPass) sync(d *appsv1.Deployment) upstream.Result {
	stored := readable(d)
	p.dc.Fill(stored, p.in.ReplicaSets, p.in.Pods)
	p.dc.KeepBelowZero = p.keep
	return p.dc.Sync(stored)
}

// recheckOnceWritten returns when upstream looks again after a pass that has written a
// status: not in that pass, since the write wakes it up anyway, but in one that finds this
// status stored.
func (p *deploymentPass) recheckOnceWritten() string {
	var written *upstream.UpdateDeploymentStatus
	for _, w := range p.result.Writes {
		if status, ok := w.(upstream.UpdateDeploymentStatus); ok {
			written = &status
		}
	}
	d := readable(p.in.Deployment)
	_, rollback := revision.RollbackRequest(d.Annotations)
	if written == nil || p.result.Err != nil || p.result.Panic != nil || d.DeletionTimestamp != nil || d.Spec.Paused || rollback || selectsAll(d) {
		return recheckOf(p.result)
	}
	result, err := p.dc.Recheck(d, own(p), written.Status)
	if err != nil {
		panic(err)
	}
	return recheckOf(result)
}

// selectsAll reports whether upstream leaves a Deployment alone because of its selector.
func selectsAll(d *appsv1.Deployment) bool {
	s := d.Spec.Selector
	return s != nil && s.MatchLabels == nil && s.MatchExpressions == nil
}

// again runs upstream with its input changed.
func (p *deploymentPass) again(change func(*gen.DeploymentCase)) {
	p.in = &gen.DeploymentCase{Deployment: p.in.Deployment.DeepCopy(), ReplicaSets: slices.Clone(p.in.ReplicaSets), Pods: p.in.Pods}
	change(p.in)
	p.run()
}

func (p *deploymentPass) sides() (theirs, ours *deploymentOutcome) { return &p.upstream, &p.ours }

func (p *deploymentPass) clone() *deploymentPass {
	q := *p
	return &q
}

// readable returns the Deployment in a form that upstream can read. Upstream panics if replicas or
// the block of a rolling update is nil, and ends with an error if there is no strategy, for which
// the planner assumes RollingUpdate. Other unset fields stay unset for both sides, including the
// limits in the block.
func readable(d *appsv1.Deployment) *appsv1.Deployment {
	strategy := &d.Spec.Strategy
	rolling := strategy.Type == "" || strategy.Type == appsv1.RollingUpdateDeploymentStrategyType
	if d.Spec.Replicas != nil && strategy.Type != "" && (!rolling || strategy.RollingUpdate != nil) {
		return d
	}
	d = d.DeepCopy()
	if d.Spec.Replicas == nil {
		d.Spec.Replicas = new(int32(1))
	}
	if rolling {
		d.Spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
		if d.Spec.Strategy.RollingUpdate == nil {
			d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{}
		}
	}
	return d
}

// coherent returns the pods with references to their controllers by its right kind and
// name. Upstream does not see other references to its UID; the planners take the UID
// alone (Deviations of deploy and replicaset).
func coherent(kind string, owners []*appsv1.ReplicaSet, pods []*corev1.Pod) []*corev1.Pod {
	list := make([]*corev1.Pod, len(pods))
	for i, p := range pods {
		list[i] = p
		for _, rs := range owners {
			if o := metav1.GetControllerOf(p); o == nil || o.UID != rs.UID || o.Name == rs.Name && o.Kind == kind {
				continue
			}
			list[i] = p.DeepCopy()
			o := metav1.GetControllerOfNoCopy(list[i])
			o.Kind, o.Name = kind, rs.Name
		}
	}
	return list
}

func unset(what func(*appsv1.DeploymentSpec) bool) func(*deploymentPass) bool {
	return func(p *deploymentPass) bool { return what(&p.c.Deployment.Spec) }
}

func unsetSurge(s *appsv1.DeploymentSpec) bool {
	return s.Strategy.Type == "" || s.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType &&
		(s.Strategy.RollingUpdate == nil || s.Strategy.RollingUpdate.MaxSurge == nil)
}

// verdict compares the two sides of a pass. It returns the name of the intended difference between
// them, "" if there is none or passes that are carried out have it as well, or else the difference.
func (p deploymentPass) verdict() (intended, diff string) {
	names, diff := explain(deploymentDifferences, &p)
	names = slices.DeleteFunc(names, func(name string) bool { return name == noRecheck || name == uidDecides || name == takenByReleased })
	return strings.Join(names, " and "), diff
}

// report is the case and both decisions, for people.
func (p deploymentPass) report(diff string) string {
	objects, err := yaml.Marshal(p.c)
	if err != nil {
		objects = []byte(err.Error())
	}
	return fmt.Sprintf("upstream (-) and plan (+) differ:\n%s\nupstream error: %v, panic: %v\nplan error: %v\ncase:\n%s",
		diff, p.result.Err, p.result.Panic, p.rejected, objects)
}

// TestDeployments compares whole passes of the Deployment controller with plans. A fifth of the
// cases are results of one or two passes, in which there is often nothing to do but to wait.
func TestDeployments(t *testing.T) {
	counts := newCaseCounts("whole passes of Deployments")
	defer counts.clock()()
	inBubble(t, func(t bubble, now time.Time) {
		dc, err := upstream.NewDeployments()
		require.NoError(t, err)
		counts.check(t, syncCases, func(t random.T) {
			c := gen.Deployment(t, now)
			beyondFloats(t, c)
			for range random.OneOf(t, "passes before", 0, 0, 0, 0, 0, 0, 0, 0, 1, 2) {
				c = afterPass(dc, c)
			}
			p := passDeployment(dc, c, now)
			take(counts, deploymentCorners, &p)
			judgePass(t, counts, deploymentDifferences, &p)
		})
	})
}
