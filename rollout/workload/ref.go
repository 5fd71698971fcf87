// SPDX-License-Identifier: Apache-2.0

package workload

import "strings"

// A Ref names a workload.
type Ref struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// Group returns the API group, which is the part of APIVersion before the slash.
func (r Ref) Group() string {
	group, _, found := strings.Cut(r.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

// GroupKind returns the kind with its group.
func (r Ref) GroupKind() string { return r.Group() + "/" + r.Kind }

// Same reports whether both name the same workload, in any version of the API.
func (r Ref) Same(o Ref) bool {
	return r.Group() == o.Group() && r.Kind == o.Kind && r.Name == o.Name
}
