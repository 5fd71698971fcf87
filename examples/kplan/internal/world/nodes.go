// SPDX-License-Identifier: Apache-2.0

package world

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// Each changes all templates.
func (c *Cluster) Each(change func(id string, t *cluster.Template)) {
	for id, t := range c.Templates {
		change(id, &t)
		c.Templates[id] = t
	}
}

// Heal lets all pods become ready or end, removes quotas, and makes nodes ready and their room
// unlimited.
func (b *Beginning) Heal() {
	b.Held, b.Quotas = nil, nil
	for i := range b.Nodes {
		n := &b.Nodes[i]
		n.Room, n.NotReady, n.NotReadySince = nil, false, time.Time{}
		n.Taints = slices.DeleteFunc(slices.Clone(n.Taints), func(t daemonset.Taint) bool {
			return t.Key == "node.kubernetes.io/unreachable" || t.Key == "node.kubernetes.io/not-ready"
		})
	}
	ends := func(p *podorder.Pod) { // the deletion of overdue pods ends now
		if !p.DeletionTimestamp.IsZero() && p.DeletionTimestamp.Before(b.Now) {
			p.DeletionTimestamp = b.Now
		}
	}
	for i := range b.Pods {
		ends(&b.Pods[i])
	}
	for i := range b.DaemonPods {
		ends(&b.DaemonPods[i].Pod)
	}
	if b.NodesOfPods {
		b.Nodes = nil
	}
	b.Each(func(_ string, t *cluster.Template) {
		t.NeverReady, t.NeverStarts, t.Unplaceable, t.Refused, t.Unset = false, false, false, "", nil
	})
}

// Broken, if never is true, keeps new pods of the wanted template from becoming ready. Without an
// applied object that is the present template.
func (b *Beginning) Broken(never bool) {
	if never {
		t := b.Templates[b.Template]
		t.NeverReady = true
		b.Templates[b.Template] = t
	}
}
