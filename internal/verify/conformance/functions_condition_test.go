// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/controller/deployment/util"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
)

var conditionFunctions = []function{
	{"SetDeploymentCondition", compareSetCondition},
	{"RemoveDeploymentCondition", compareRemoveCondition},
	{"DeploymentTimedOut", compareTimedOut},
}

// conditions are the conditions of a Deployment, and one more.
type conditions struct {
	List []appsv1.DeploymentCondition
	One  appsv1.DeploymentCondition
}

func drawConditions(t random.T, now time.Time) conditions {
	var c conditions
	for range random.Below(t, "conditions", 5) {
		c.List = append(c.List, gen.Condition(t, now, 600))
	}
	c.One = gen.Condition(t, now, 600)
	return c
}

func (c conditions) api() *appsv1.DeploymentStatus {
	return &appsv1.DeploymentStatus{Conditions: slices.Clone(c.List)}
}

// ours translates conditions with kube.
func (c conditions) ours(t random.T) (list []kplan.Condition, one kplan.Condition) {
	d, err := kube.Deployment(&appsv1.Deployment{Status: appsv1.DeploymentStatus{Conditions: append(slices.Clone(c.List), c.One)}})
	if err != nil {
		t.Fatal(err)
	}
	all := d.Status.Conditions
	return all[:len(all)-1], all[len(all)-1]
}

// comparable returns conditions as both sides spell them.
func comparable(list []appsv1.DeploymentCondition) []appsv1.DeploymentCondition {
	s := appsv1.DeploymentStatus{Conditions: list}
	normaliseStatus(&s)
	return s.Conditions
}

func ourConditions(list []kplan.Condition) []appsv1.DeploymentCondition {
	return comparable(kube.DeploymentStatus(deploy.Status{Conditions: list}).Conditions)
}

func (c conditions) present() *appsv1.DeploymentCondition {
	return util.GetDeploymentCondition(*c.api(), c.One.Type)
}

func compareSetCondition(t random.T, c *caseCounts, now time.Time) {
	in1 := drawConditions(t, now)
	s := in1.api()
	util.SetDeploymentCondition(s, in1.One)
	list, one := in1.ours(t)
	judge(t, c, []corner[decision[conditions]]{
		in("absent", func(c conditions) bool { return c.present() == nil }),
		in("same status and reason", func(c conditions) bool {
			p := c.present()
			return p != nil && p.Status == c.One.Status && p.Reason == c.One.Reason
		}),
		in("same status", func(c conditions) bool {
			p := c.present()
			return p != nil && p.Status == c.One.Status && p.Reason != c.One.Reason
		}),
		in("other status", func(c conditions) bool { p := c.present(); return p != nil && p.Status != c.One.Status }),
		{"two are replaced", func(d decision[conditions]) bool {
			return len(d.upstream.([]appsv1.DeploymentCondition)) < len(d.in.List)
		}},
	}, nil, decision[conditions]{in1, comparable(s.Conditions), ourConditions(deploy.SetCondition(list, one))})
}

func compareRemoveCondition(t random.T, c *caseCounts, now time.Time) {
	in1 := drawConditions(t, now)
	s := in1.api()
	util.RemoveDeploymentCondition(s, in1.One.Type)
	list, one := in1.ours(t)
	judge(t, c, []corner[decision[conditions]]{
		in("absent", func(c conditions) bool { return c.present() == nil }),
		{"none is left", func(d decision[conditions]) bool {
			return len(d.upstream.([]appsv1.DeploymentCondition)) == 0 && len(d.in.List) > 0
		}},
		{"two are removed", func(d decision[conditions]) bool {
			return len(d.upstream.([]appsv1.DeploymentCondition)) < len(d.in.List)-1
		}},
	}, nil, decision[conditions]{in1, comparable(s.Conditions), ourConditions(deploy.RemoveCondition(list, one.Type))})
}

// timeout is a condition, or none, and a deadline.
type timeout struct {
	Condition *appsv1.DeploymentCondition
	Deadline  int32
}

func compareTimedOut(t random.T, c *caseCounts, now time.Time) {
	w := timeout{Deadline: random.Size(t, "deadline")}
	one := conditions{One: gen.Condition(t, now, w.Deadline)}
	one.One.Type = appsv1.DeploymentProgressing
	_, ours := one.ours(t)
	api, condition := &appsv1.DeploymentStatus{}, (*kplan.Condition)(nil)
	if !random.OneIn(t, "absent", 10) {
		w.Condition, condition = &one.One, &ours
		api.Conditions = []appsv1.DeploymentCondition{one.One}
	}
	d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{ProgressDeadlineSeconds: &w.Deadline}}
	due := func(offset time.Duration) func(timeout) bool {
		return func(w timeout) bool {
			at := metav1.NewTime(now.Add(offset - time.Duration(w.Deadline)*time.Second))
			return w.Condition != nil && w.Condition.LastUpdateTime.Equal(&at)
		}
	}
	judge(t, c, []corner[decision[timeout]]{
		outcomeIs[timeout]("timed out", true), outcomeIs[timeout]("not timed out", false),
		in("absent", func(w timeout) bool { return w.Condition == nil }),
		in("no deadline", func(w timeout) bool { return w.Deadline == deploy.NoLimit }),
		in("now is the deadline", due(0)),
		in("now is a nanosecond after", due(-1)),
		in("already timed out", func(w timeout) bool {
			return w.Condition != nil && w.Condition.Reason == "ProgressDeadlineExceeded" && w.Condition.Status == corev1.ConditionFalse
		}),
		in("complete once", func(w timeout) bool { return w.Condition != nil && w.Condition.Reason == "NewReplicaSetAvailable" }),
	}, nil, decision[timeout]{w, util.DeploymentTimedOut(silent, d, api), deploy.TimedOut(condition, w.Deadline, now)})
}
