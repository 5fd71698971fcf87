// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// Advance turns a DaemonSet of a snapshot into an Advanced DaemonSet of OpenKruise.
// [kube.World] has read the snapshot from ds and its pods and revisions; a holds the additional
// fields. The error is the one of [AdvancedDaemonSet], or reports that ds is not in the snapshot.
func Advance(s *cluster.Snapshot, ds *appsv1.DaemonSet, a Advanced) error {
	s, ds = convert.Or(s), convert.Or(ds)
	name := ds.Name
	if ds.Namespace != "" {
		name = ds.Namespace + "/" + name
	}
	i := slices.IndexFunc(s.DaemonSets, func(d daemonset.DaemonSet) bool { return d.Name == name })
	if i < 0 {
		return fmt.Errorf("daemon set %s is not in the snapshot", name)
	}
	d := s.DaemonSets[i]
	if err := addAdvanced(&d, ds, a, nil); err != nil {
		return fmt.Errorf("daemon set %s: %w", name, err)
	}
	s.DaemonSets = slices.Delete(slices.Clone(s.DaemonSets), i, i+1)
	s.AdvancedDaemonSets = append(s.AdvancedDaemonSets, cluster.AdvancedDaemonSet{DaemonSet: d})
	return nil
}
