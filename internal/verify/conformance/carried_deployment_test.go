// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsdefaults "k8s.io/kubernetes/pkg/apis/apps/v1"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
)

// carriedDeployments compares the Deployment controller with our executor.
type carriedDeployments struct {
	live   *upstream.Live
	server *apiserver.Server // that upstream's calls reach
	wrap   wrapper
	retry  kube.Retry
}

func newCarriedDeployments() (*carriedDeployments, error) {
	x := &carriedDeployments{retry: kube.NoRetry, wrap: unwrapped}
	var err error
	x.live, err = upstream.LiveDeployments(apiserver.Clientset{Of: func() *apiserver.Server { return x.server }})
	return x, err
}

func deploymentObjects(c *gen.DeploymentCase) []metav1.Object {
	objects := []metav1.Object{c.Deployment}
	for _, rs := range c.ReplicaSets {
		objects = append(objects, rs)
	}
	for _, p := range c.Pods {
		objects = append(objects, p)
	}
	return objects
}

// pass runs both sides.
func (x *carriedDeployments) pass(c *gen.DeploymentCase, cached []metav1.Object, s *apiserver.Server, rules []apiserver.Rule, now time.Time) *carriedPass {
	p := &carriedPass{kind: "Deployment", cached: cached, server: s, rules: rules, owner: apiserver.KeyOf(c.Deployment)}
	x.carry(p, c, now)
	recheck := p.ours.Recheck
	p.again = func(more []apiserver.Rule, m mode) {
		x.controller(p, more, m)
		p.ours.Recheck = recheck
		left, err := time.ParseDuration(recheck)
		switch { // as alignRecheck
		case p.upstream.Recheck == never && len(p.theirs) > 0 && !p.upstream.Failed && !p.ours.Failed:
			p.upstream.Recheck, p.ours.Recheck = "", ""
		case p.upstream.Recheck == "now" && err == nil && left < time.Second:
			p.ours.Recheck = "now"
		}
	}
	return p
}

func (x *carriedDeployments) controller(p *carriedPass, more []apiserver.Rule, m mode) {
	x.server = p.server.Clone()
	x.server.SetRules(slices.Concat(more, p.rules))
	x.server.Lenient = m.own
	seen := p.cached
	if m.byUID {
		seen = ownedByUID(seen)
	}
	x.live.Fill(seen)
	result := x.live.Run(p.cached[0])
	p.err, p.panicked, p.theirs = result.Err, result.Panic, x.server.Calls()
	// The worker forgets a pass that has failed because the namespace is going away.
	forgotten := apierrors.HasStatusCause(result.Err, corev1.NamespaceTerminatingCause)
	p.upstream = carriedOut{Failed: result.Err != nil && !forgotten || result.Panic != nil, Recheck: never}
	p.upstream.read(p.server, x.server, mergeEvents(result.Events))
	for _, q := range result.Requeues {
		p.upstream.Recheck = "now"
		if !q.RateLimited {
			p.upstream.Recheck = (q.After - time.Second).String()
		}
	}
}

// carry plans and carries out the plan.
func (x *carriedDeployments) carry(p *carriedPass, c *gen.DeploymentCase, now time.Time) {
	server := p.server.Clone()
	server.SetRules(p.rules)
	client := x.wrap(server, server.Client())
	executor := kube.Executor{Client: client, Retry: x.retry}
	p.ours = carriedOut{Recheck: never}
	var told []upstream.Event
	s, err := kube.Snapshot(c.Deployment, c.ReplicaSets, c.Pods)
	for again := err == nil; again; {
		var pass deploy.Pass
		if pass, err = deploy.NewPass(s, now, deploy.Options{}); err != nil {
			break
		}
		plan := pass.Plan
		p.last = plan.String()
		p.note += p.last + "\n"
		report := executor.Deployment(context.Background(), c.Deployment, c.ReplicaSets, plan)
		result := pass.Finish(report)
		for _, e := range result.Events {
			told = append(told, upstream.Event{Type: e.Type, Reason: e.Reason, Message: e.Message})
		}
		if again = result.Again != nil; again {
			s = *result.Again
			continue
		}
		err = result.Err
		if result.WriteStatus {
			err = errors.Join(err, client.Do(context.Background(), kube.DeploymentStatusRequest(c.Deployment, result)))
		}
		if !result.RecheckAt.IsZero() && err == nil {
			p.ours.Recheck = max(0, result.RecheckAt.Add(-1).Sub(now)).String()
		}
	}
	p.ourErr, p.mine, p.after = err, server.Calls(), server
	p.ours.Failed = err != nil
	p.ours.read(p.server, server, told)
}

var deploymentTargets = []callKind{
	{apiserver.Status, "Deployment"}, {apiserver.Create, "ReplicaSet"}, {apiserver.Write, "ReplicaSet"}, {apiserver.Delete, "ReplicaSet"},
	{apiserver.Adopt, "ReplicaSet"}, {apiserver.Release, "ReplicaSet"}, {apiserver.Get, "Deployment"}, {apiserver.Write, "Deployment"},
}

// draw draws a case and runs both sides.
func (x *carriedDeployments) draw(t random.T, dc *upstream.Deployments, now time.Time) (*carriedPass, string) {
	c := gen.Deployment(t, now)
	appsdefaults.SetDefaults_Deployment(c.Deployment)
	cached := deploymentObjects(c)
	s := served(cached)
	outdate(t, now, s, cached)
	if intended, _ := passDeployment(dc, c, now).verdict(); intended != "" && !strings.HasPrefix(intended, "no recheck") && !strings.HasPrefix(intended, "name of the new") {
		return nil, intended
	}
	return x.pass(c, cached, s, drawRules(t, deploymentTargets), now), ""
}

// TestCarriedDeployments carries out plans of Deployments, and compares them with upstream's
// controller.
func TestCarriedDeployments(t *testing.T) {
	counts := newCaseCounts("carried out: Deployments")
	defer counts.clock()()
	inBubble(t, func(t bubble, _ time.Time) {
		x, err := newCarriedDeployments()
		require.NoError(t, err)
		dc, err := upstream.NewDeployments()
		require.NoError(t, err)
		testCarried(t, counts, deploymentTargets, func(t random.T) (*carriedPass, string) {
			return x.draw(t, dc, time.Now())
		})
	})
}
