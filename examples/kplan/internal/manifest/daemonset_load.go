// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
)

// assignDaemonSets completes the DaemonSets with nodes, pods and revisions. It also gives all other
// workloads their nodes.
func (l *loader) assignDaemonSets(s *Set, from Source) error {
	before := len(l.notes)
	all := l.nodesFor(from.Nodes, from.Zones)
	s.Notes, s.nodes = append(s.Notes, l.notes[before:]...), all
	for i := range s.Workloads {
		s.Workloads[i].Nodes = all
	}
	for i := range s.ReplicaSets {
		s.ReplicaSets[i].Workload.Nodes = all
	}
	for i := range s.Argo {
		s.Argo[i].Workload.Nodes = all
	}
	files := map[string]string{}
	for _, source := range l.daemonSets {
		d := *source.object
		d.failures, d.shared, d.limits = l.failures, &s.Shared, l.limitObjects
		d.File, d.Nodes = source.file, all
		if first, ok := files[d.Key()]; ok {
			return d.Invalid(fmt.Errorf("there is one of this name already, in %s", first))
		}
		files[d.Key()] = d.File
		if err := kube.ValidateDaemonSet(d.Object); err != nil {
			if err = l.reject(d.ID(), d.Invalid(err)); err != nil {
				return err
			}
			continue
		}
		identify(&d.Object.ObjectMeta, daemonset.Kind)
		d.Pods, d.Revisions = l.podsOf(d.Object.Namespace), l.revisionsOf(d.Object.Namespace)
		s.DaemonSets = append(s.DaemonSets, d)
	}
	return nil
}
