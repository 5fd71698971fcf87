// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
)

// loadDaemonSets returns the DaemonSets with their pods and revisions.
func (l *loader) loadDaemonSets(around *surroundings) (list []DaemonSet, err error) {
	taken := names{}
	for _, source := range l.daemonSets {
		d := *source.object
		d.File, d.failures, d.surroundings = source.file, l.failures, around
		if err := taken.take(d.Key(), d.File); err != nil {
			return nil, d.Invalid(err)
		}
		if err := kube.ValidateDaemonSet(d.Object); err != nil {
			if err = l.reject(d.ID(), d.Invalid(err)); err != nil {
				return nil, err
			}
			continue
		}
		identify(&d.Object.ObjectMeta, daemonset.Kind)
		d.Pods, d.Revisions = l.podsOf(d.Object.Namespace), l.revisionsOf(d.Object.Namespace)
		list = append(list, d)
	}
	return list, nil
}
