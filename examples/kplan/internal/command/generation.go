// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"maps"
	"strconv"

	"github.com/kplan-go/kplan/daemonset"
)

// served returns the annotations of a DaemonSet that replaces an old one, as the API server sets
// them: users cannot set the template generation, and it rises with each change of the template.
// Pods with the new generation are new.
func served(old, next *daemonset.DaemonSet, dialect daemonset.Dialect) map[string]string {
	n, known := daemonset.TemplateGeneration(old.Annotations)
	if dialect != daemonset.Kubernetes || !known {
		return next.Annotations
	}
	if !bytes.Equal(old.Template.Data, next.Template.Data) {
		n++
	}
	annotations := maps.Clone(next.Annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[daemonset.AnnotationGeneration] = strconv.FormatInt(n, 10)
	return annotations
}
