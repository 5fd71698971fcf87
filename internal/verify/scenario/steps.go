// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/trace"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// Eval runs the steps of a block and returns their output. A step that fails prints its error,
// and ends the block.
func (c *Cluster) Eval(block trace.Command) string {
	c.out.Reset()
	steps, err := block.Lines()
	for _, step := range steps {
		if err == nil {
			if err = c.step(step); err != nil {
				err = fmt.Errorf("%s: %w", step.Name, err)
			}
		}
	}
	if err != nil {
		fmt.Fprintln(&c.out, "error:", err)
	}
	return c.out.String()
}

func (c *Cluster) step(s trace.Command) error {
	switch s.Name {
	case "cluster":
		c.reset()
	case "kubelet":
		c.kubelet.off = slices.Contains(s.Positional, "off")
		return kubeletFields.assign(&c.kubelet, s.Args)
	case "quota":
		return fields[Cluster]{"pods": to(number, func(c *Cluster) *int { return &c.quota })}.assign(c, s.Args)
	case "options":
		return fields[replicaset.Options]{
			"omitTerminating": to(yes, func(o *replicaset.Options) *bool { return &o.OmitTerminating }),
			"ignoreCost": func(o *replicaset.Options, _ []string) error {
				o.Order.Stages = slices.DeleteFunc(podorder.Current.Stages(), func(s podorder.Stage) bool { return s.Rule == podorder.RuleCost })
				return nil
			},
		}.assign(&c.replicaSetOptions, s.Args)
	case "restart":
		c.forget()
	case "run":
		d := time.Duration(0)
		limits := fields[time.Duration]{"for": to(duration, func(d *time.Duration) *time.Duration { return d })}
		if err := limits.assign(&d, s.Args); err != nil {
			return err
		}
		return c.run(d)
	case "show", "delete", "undo":
		if len(s.Positional) == 0 {
			return fmt.Errorf("no kind")
		}
		return map[string]func(string, []string, map[string][]string) error{
			"show": c.show, "delete": c.delete, "undo": c.undo,
		}[s.Name](s.Positional[0], s.Positional[1:], s.Args)
	case "gone":
		return each(s, func(name string) error {
			return named(&c.pods, podName, name, func(p *daemonset.Pod) { drop(&c.pods, p) })
		})
	default:
		return each(s, func(name string) error { return c.object(s.Name, name, s.Args) })
	}
	return nil
}

// each calls do for each name of a step, which needs at least one name.
func each(s trace.Command, do func(name string) error) error {
	if len(s.Positional) == 0 {
		return fmt.Errorf("no name")
	}
	for _, name := range s.Positional {
		if err := do(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// named calls do with an existing object.
func named[T any](list *[]*T, nameOf func(*T) string, name string, do func(*T)) error {
	o := find(*list, nameOf, name)
	if o == nil {
		return fmt.Errorf("%s is not there", name)
	}
	do(o)
	return nil
}

// object creates or changes an object. Every change except the status starts a new generation.
func (c *Cluster) object(kind, name string, args map[string][]string) error {
	own := map[string]string{"app": name}
	switch kind {
	case "deployment":
		d := find(c.deployments, deploymentName, name)
		if d == nil {
			d = &deploy.Deployment{ // with the defaults of the API server
				Name: name, UID: c.newUID(), Selector: selector.FromLabels(own), TemplateLabels: own,
				MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25),
				ProgressDeadlineSeconds: ptr.To(int32(600)), RevisionHistoryLimit: ptr.To(int32(10)),
			}
			insert(&c.deployments, deploymentName, d)
		}
		d.Generation++
		return deploymentFields.assign(d, args)
	case "replicaset":
		rs := find(c.replicaSets, replicaSetName, name)
		if rs == nil {
			rs = &replicaset.ReplicaSet{
				Name: name, UID: c.newUID(), CreationTimestamp: c.now, Selector: selector.FromLabels(own), Labels: own, TemplateLabels: own,
			}
			insert(&c.replicaSets, replicaSetName, rs)
		}
		rs.Generation++
		return replicaSetFields.assign(rs, args)
	case "daemonset":
		ds := find(c.daemonSets, daemonSetName, name)
		if ds == nil {
			ds = &daemonset.DaemonSet{Name: name, UID: c.newUID(), Selector: selector.FromLabels(own), Template: daemonset.Template{Labels: own}}
			insert(&c.daemonSets, daemonSetName, ds)
		}
		ds.Generation++
		return daemonSetFields.assign(ds, args)
	case "revision":
		return c.revision(name, args)
	case "pod":
		p := find(c.pods, podName, name)
		if p == nil {
			p = &daemonset.Pod{}
			p.Name, p.UID, p.CreationTimestamp, p.Phase = name, c.newUID(), c.now, "Pending"
			insert(&c.pods, podName, p)
		}
		return podFields(c.now).assign(p, args)
	case "node":
		n := find(c.nodes, nodeName, name)
		if n == nil {
			n = &node{Node: daemonset.Node{Name: name}}
			insert(&c.nodes, nodeName, n)
		}
		return nodeFields.assign(n, args)
	}
	return fmt.Errorf("unknown step")
}

// revision creates or changes a ControllerRevision, which belongs to the only DaemonSet.
func (c *Cluster) revision(name string, args map[string][]string) error {
	r := find(c.revisions, revisionName, name)
	if r == nil {
		if len(c.daemonSets) != 1 {
			return fmt.Errorf("%d daemon sets", len(c.daemonSets))
		}
		ds := c.daemonSets[0]
		labels := apply.With(ds.Template.Labels, map[string]string{daemonset.LabelHash: strings.TrimPrefix(name, ds.Name+"-")})
		r = &revision.ControllerRevision{
			Name: name, UID: c.newUID(), Labels: labels, CreationTimestamp: c.now,
			ControllerKind: daemonset.Kind, ControllerName: ds.Name, ControllerUID: ds.UID,
		}
		insert(&c.revisions, revisionName, r)
	}
	return revisionFields.assign(r, args)
}

// delete deletes objects as kubectl delete does.
func (c *Cluster) delete(kind string, names []string, args map[string][]string) error {
	how := ""
	if err := (fields[string]{"how": to(text, func(s *string) *string { return s })}).assign(&how, args); err != nil {
		return err
	}
	for _, name := range names {
		var err error
		switch kind {
		case "deployment":
			err = named(&c.deployments, deploymentName, name, func(o *deploy.Deployment) {
				deleteOwner(c, &c.deployments, o, o.UID, &o.DeletionTimestamp, how)
			})
		case "replicaset":
			err = named(&c.replicaSets, replicaSetName, name, func(o *replicaset.ReplicaSet) {
				deleteOwner(c, &c.replicaSets, o, o.UID, &o.DeletionTimestamp, how)
			})
		case "daemonset":
			err = named(&c.daemonSets, daemonSetName, name, func(o *daemonset.DaemonSet) {
				deleteOwner(c, &c.daemonSets, o, o.UID, &o.DeletionTimestamp, how)
			})
		case "revision":
			err = named(&c.revisions, revisionName, name, func(o *revision.ControllerRevision) { drop(&c.revisions, o) })
		case "pod":
			err = named(&c.pods, podName, name, c.deletePod)
		default:
			err = fmt.Errorf("unknown kind %s", kind)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// deleteOwner deletes an object; its dependents are deleted after it, orphaned, or deleted
// first.
func deleteOwner[T any](c *Cluster, list *[]*T, o *T, uid string, deleted *time.Time, how string) {
	switch how {
	case "foreground":
		*deleted = c.now
		return
	case "orphan":
		for _, rs := range c.replicaSets {
			if rs.ControllerUID == uid {
				rs.ControllerKind, rs.ControllerName, rs.ControllerUID = "", "", ""
			}
		}
		for _, p := range c.pods {
			if p.ControllerUID == uid {
				p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", ""
			}
		}
	}
	drop(list, o)
	c.ended[uid] = true
}

// undo goes back to a revision as kubectl rollout undo does.
func (c *Cluster) undo(kind string, names []string, args map[string][]string) error {
	number := int64(0)
	if err := (fields[int64]{"to": to(number64, func(n *int64) *int64 { return n })}).assign(&number, args); err != nil {
		return err
	}
	if len(names) != 1 {
		return fmt.Errorf("%d names", len(names))
	}
	switch kind {
	case "deployment":
		d := find(c.deployments, deploymentName, names[0])
		var entries []revision.Entry
		for _, rs := range c.replicaSets {
			if rs.ControllerUID == d.UID {
				entries = append(entries, replicaset.Entry(rs))
			}
		}
		w := revision.Workload{Name: d.Name, Annotations: d.Annotations, Template: d.Template, Paused: d.Paused}
		u, err := kubectl.PlanUndo(w, entries, number, revision.Options{})
		if err != nil || u.Skipped {
			return err
		}
		d.Template, d.Annotations = entries[u.Source].Template, maps.Clone(u.Annotations)
		d.Generation++
	case "daemonset":
		ds := find(c.daemonSets, daemonSetName, names[0])
		revisions := values(c.revisions)
		u, err := kubectl.UndoRevision(revisions, ds.Template.Data, number, revision.Options{})
		if err != nil || u.Skipped {
			return err
		}
		ds.Template.Data, ds.Template.Hash = revisions[u.Source].Data, revisions[u.Source].Labels[daemonset.LabelHash]
		ds.Generation++
	default:
		return fmt.Errorf("unknown kind %s", kind)
	}
	return nil
}
