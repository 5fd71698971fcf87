// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/controller/deployment/util"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
)

// These differences, and noRecheck, also apply to passes that are carried out.
const (
	uidDecides      = "the UID alone says whose a pod is"
	takenByReleased = "a ReplicaSet that was released is not the new one, though it has the name"
)

// deploymentDifferences is the complete list of intended differences in plans for Deployments. Rows
// that ask upstream again come before rows that change its outcome.
var deploymentDifferences = ofRelease(slices.Concat(deploymentRejections, ifPlanned(deploymentPlans)))

// deploymentRejections are the differences without a plan.
var deploymentRejections = []difference[*deploymentPass, deploymentOutcome]{
	{
		name:      "unusable limit rejected",
		reason:    "upstream treats a limit that is no number in two ways; kube and deploy report it",
		leaf:      []string{""},
		from:      rejectsAny(unusableLimits),
		to:        rejecting(unusableLimits),
		near:      nearRejection,
		elsewhere: rejectedElsewhere("spec.strategy.rollingUpdate.maxSurge"),
	},
	{
		name:      "negative number rejected",
		reason:    "deploy, Deviations: negative numbers are an error",
		leaf:      []string{""},
		from:      rejectsAny(negativeNumbers),
		to:        rejecting(negativeNumbers),
		near:      nearRejection,
		elsewhere: rejectedElsewhere("spec.replicas"),
	},
	{
		name:      "unknown strategy rejected at once",
		reason:    "deploy, Deviations: an unknown strategy is an error; upstream gets as far as the strategy",
		leaf:      []string{""},
		from:      rejectsAny(unknownStrategy),
		to:        rejecting(unknownStrategy),
		near:      nearRejection,
		elsewhere: rejectedElsewhere("spec.strategy.type"),
	},
	{
		name:      "ReplicaSet without UID rejected at once",
		reason:    "deploy admits no ReplicaSet of the Deployment's without a UID; upstream first adopts and releases others",
		leaf:      []string{""},
		from:      rejectsAny(withoutUID),
		to:        rejecting(withoutUID),
		near:      nearRejection,
		elsewhere: rejectedElsewhere(`ReplicaSets["web"].UID`),
	},
}

// deploymentPlans are the differences with a plan.
var deploymentPlans = []difference[*deploymentPass, deploymentOutcome]{
	{
		name:   "unset surge is 0 for the new ReplicaSet as well",
		reason: "deploy, Deviations: upstream reads an unset surge as 0, except where the new ReplicaSet is created or grows, which fails",
		leaf:   []string{""},
		from: func(p *deploymentPass) bool {
			return unsetSurge(&p.in.Deployment.Spec) && p.result.Err != nil && strings.Contains(p.result.Err.Error(), "nil value for IntOrString")
		},
		to: instead(func(c *gen.DeploymentCase) {
			c.Deployment = readable(c.Deployment).DeepCopy()
			c.Deployment.Spec.Strategy.RollingUpdate.MaxSurge = new(intstr.FromInt32(0))
		}),
		near:      nearPlan,
		elsewhere: lastStepDropped,
	},
	{
		name:   "percentages beyond the precision of a float",
		reason: "rollout, Deviations: whole numbers are computed; floats are exact up to 2^53",
		leaf:   []string{""},
		from:   func(p *deploymentPass) bool { return tooPrecise(limitsOf(p.in.Deployment)) },
		to: instead(func(c *gen.DeploymentCase) {
			if r := c.Deployment.Spec.Strategy.RollingUpdate; r != nil {
				n := number(c.Deployment.Spec.Replicas)
				r.MaxSurge, r.MaxUnavailable = exactly(r.MaxSurge, n, true), exactly(r.MaxUnavailable, n, false)
			}
		}),
		near:      nearPlan,
		elsewhere: lastStepDropped,
	},
	{
		name:   "nothing released without a selector",
		reason: "deploy, Deviations: without a selector nothing is adopted or released; upstream releases all and panics",
		leaf:   []string{""},
		from:   func(p *deploymentPass) bool { return p.in.Deployment.Spec.Selector == nil },
		to: func(p *deploymentPass) deploymentOutcome {
			p.noSelector = true
			p.again(selectOwn)
			return p.upstream
		},
		near:      nearPlan,
		elsewhere: lastStepDropped,
	},
	{
		name:   uidDecides,
		since:  36,
		reason: "deploy, Deviations: a Recreate update waits for a pod of an old ReplicaSet also if the name or kind in its owner reference is another; upstream does not see it",
		leaf:   []string{""},
		from: func(p *deploymentPass) bool {
			return p.in.Deployment.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType &&
				!slices.Equal(p.in.Pods, coherent("ReplicaSet", p.in.ReplicaSets, p.in.Pods))
		},
		to:        instead(func(c *gen.DeploymentCase) { c.Pods = coherent("ReplicaSet", c.ReplicaSets, c.Pods) }),
		near:      nearPlan,
		elsewhere: lastStepDropped,
	},
	{
		name:      "no size below 0",
		reason:    "deploy, Deviations: a size that wraps around below 0 is not planned; upstream writes it, and is refused",
		leaf:      []string{""},
		from:      func(p *deploymentPass) bool { return wrapsAround(p) && !whileRolling(p) },
		to:        keepingSizes,
		near:      nearPlan,
		elsewhere: lastStepDropped,
	},
	{
		name:      "the new ReplicaSet not scaled below 0",
		reason:    "deploy, Deviations: as above; upstream does not shrink old ReplicaSets in a pass that scales the new one",
		leaf:      []string{""},
		from:      func(p *deploymentPass) bool { return wrapsAround(p) && whileRolling(p) },
		to:        withoutRoom,
		near:      nearPlan,
		elsewhere: lastStepDropped,
	},
	{
		name:   takenByReleased,
		reason: "deploy.Pass.Finish: the pass ends with an error, after the revision; upstream takes what it has just released for the new ReplicaSet, and goes on",
		leaf:   []string{""},
		from: func(p *deploymentPass) bool {
			return p.result.Err == nil && slices.ContainsFunc(p.result.Writes, func(w upstream.Write) bool {
				c, ok := w.(upstream.CreateReplicaSet)
				return ok && c.Err != nil
			})
		},
		to:        untilTaken,
		near:      nearPlan,
		elsewhere: lastStepDropped,
	},
	{
		name:   "cyclic order of revisions broken",
		reason: "deploy, Deviations: with an unusable revision upstream's order may be cyclic, and is what its sort makes of it; in ours no two neighbours are in the wrong order",
		leaf:   []string{"Steps"},
		from: func(p *deploymentPass) bool {
			return p.in.Deployment.Spec.RevisionHistoryLimit != nil && cyclic(util.ReplicaSetsByRevision(own(p)))
		},
		to: cleanedUp,
		near: append([]mistake[deploymentOutcome]{{"another ReplicaSet is deleted", func(o *deploymentOutcome) bool {
			i := slices.IndexFunc(o.Steps, deletes)
			if i >= 0 {
				o.Steps[i] = "delete web-other"
			}
			return i >= 0
		}}}, nearPlan...),
		elsewhere: func(_ *deploymentPass, o *deploymentOutcome) bool {
			o.Steps = slices.DeleteFunc(o.Steps, deletes)
			return true
		},
	},
	{
		name:   noRecheck,
		reason: "deploy.ReusedSetKeepsDeadline: upstream goes on looking at a rollout whose condition says that it was complete",
		leaf:   []string{"Recheck"},
		from: func(p *deploymentPass) bool {
			c := progressing(&p.upstream.Status)
			return c != nil && c.Reason == util.NewRSAvailableReason && p.upstream.Recheck == recheckAt(p, c)
		},
		to: func(p *deploymentPass) deploymentOutcome {
			p.upstream.Recheck = never
			return p.upstream
		},
		near: append([]mistake[deploymentOutcome]{{"a recheck in a second", func(o *deploymentOutcome) bool {
			o.Recheck = time.Second.String()
			return true
		}}}, nearPlan...),
		elsewhere: func(_ *deploymentPass, o *deploymentOutcome) bool {
			before := o.Recheck
			o.Recheck = never
			return before != never
		},
	},
}
