// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/verify/conformance/apiserver"
	"github.com/kplan-go/kplan/revision"
)

// statusSubstitutions are about statuses that are not written.
var statusSubstitutions = []substitution{
	{
		name:   "a status that was refused is left to the next pass",
		reason: "kube: a status is written once, at the end, over the version that it was computed from; upstream reads the owner again, or ends at the first of several writes",
		mode:   mode{fails: true},
		adjust: revisionStays,
		answers: func(p *carriedPass) []apiserver.Rule {
			return p.answers(func(c apiserver.Call) apiserver.Class {
				switch {
				case c.Verb != apiserver.Status || c.Err == nil:
					return ""
				case c.Changed:
					return apiserver.Done
				}
				return apiserver.Dropped
			})
		},
	},
	{
		name:   statusStays,
		reason: "daemonset.Pass.Finish: while it waits, upstream writes a status that does not say that the generation was observed, also over one that its cache has not seen, and may fail",
		answers: func(p *carriedPass) []apiserver.Rule {
			ds, ok := p.cached[0].(*appsv1.DaemonSet)
			first := slices.IndexFunc(p.theirs, func(c apiserver.Call) bool { return c.Verb == apiserver.Status })
			behind := first >= 0 && p.theirs[first].Class == "" && apierrors.IsConflict(p.theirs[first].Err)
			changed := slices.ContainsFunc(p.theirs, func(c apiserver.Call) bool { return c.Verb == apiserver.Status && c.Changed })
			if written, _ := p.upstream.Objects["DaemonSet "+p.owner.Name].(*appsv1.DaemonSet); behind && changed && ok && written != nil {
				numbers := *written.Status.DeepCopy() // the rest is from the DaemonSet that upstream has read again
				numbers.ObservedGeneration, numbers.CollisionCount, numbers.Conditions = ds.Status.ObservedGeneration, ds.Status.CollisionCount, ds.Status.Conditions
				changed = !equality.Semantic.DeepEqual(numbers, ds.Status)
			}
			if ok && !changed && p.count(p.mine, apiserver.Status, p.kind) == 0 && p.count(p.theirs, apiserver.Status, p.kind) > 0 &&
				ds.Status.ObservedGeneration < ds.Generation && strings.Contains(p.note, "held back: "+string(reason.Unseen)) {
				return []apiserver.Rule{{Verb: apiserver.Status, Kind: p.kind, Name: p.owner.Name, Count: 1 << 30, Class: apiserver.Dropped}}
			}
			return nil
		},
	},
}

// revisionStays takes the revision out of an update of the Deployment after the status that
// was to publish it was refused: upstream's update has it as well.
func revisionStays(p *carriedPass) {
	d, ok := p.upstream.Objects["Deployment "+p.owner.Name].(*appsv1.Deployment)
	written := slices.ContainsFunc(p.mine, func(c apiserver.Call) bool { return c.Verb == apiserver.Status && c.Changed })
	if !ok || written || !strings.Contains(p.note, "Cleared rollback request") {
		return
	}
	stored, ok := p.server.Stored(p.owner).GetAnnotations()[revision.AnnotationRevision]
	if d = d.DeepCopy(); !ok {
		delete(d.Annotations, revision.AnnotationRevision)
	} else {
		d.Annotations[revision.AnnotationRevision] = stored
	}
	p.upstream.Objects["Deployment "+p.owner.Name] = d
}
