// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/revision"
)

// after carries out a write, unless it is refused.
func (d *Deployments) after(s deploymentState, w deploymentWrite) (deploymentState, bool) {
	step, pods := deploymentStep{write: w, set: s.sets[w.set]}, s.sets[w.set].pods
	step.set.pods = deploymentPods{}
	for _, set := range s.sets {
		step.last = max(step.last, set.rank)
	}
	e := d.effects.of(step, func() deploymentEffect { return d.carryOut(step) })
	if e.refused {
		return s, false
	}
	if w.what == verbNumber {
		s.revision = e.revision
		return s, true
	}
	s.sets[w.set], s.sets[w.set].pods = e.set, pods
	return s, true
}

func (d *Deployments) carryOut(step deploymentStep) deploymentEffect {
	i := step.write.set
	v := deploymentView{template: i}
	v.sets[i] = step.set
	s, err := deploy.Apply(d.snapshot(v), d.actions[step.write], now.Add(time.Duration(step.last+1)*time.Second))
	if err != nil {
		return deploymentEffect{refused: true}
	}
	e := deploymentEffect{set: step.set, revision: number(s.Deployment.Annotations[revision.AnnotationRevision])}
	for _, rs := range s.ReplicaSets {
		e.set.rank, e.set.size = int8(rs.CreationTimestamp.Sub(now)/time.Second), int8(*rs.Replicas)
		e.set.desired, e.set.revision = number(rs.Annotations[revision.AnnotationDesired]), number(rs.Annotations[revision.AnnotationRevision])
		e.set.report.seen = rs.Status.ObservedGeneration == rs.Generation
	}
	return e
}
