// SPDX-License-Identifier: Apache-2.0

package workload

import "maps"

// A Style is the way in which new pods replace old pods.
type Style string

// The styles.
const (
	Partition Style = "Partition" // new pods replace old ones, up to a partition
	Canary    Style = "Canary"    // an extra Deployment holds the new pods
	BlueGreen Style = "BlueGreen" // the surge holds the new pods
)

// TemplateMetadata is added to the pods of a canary Deployment.
type TemplateMetadata struct {
	Annotations map[string]string `json:"annotations,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
}

// Clone returns a copy, or nil.
func (m *TemplateMetadata) Clone() *TemplateMetadata {
	if m == nil {
		return nil
	}
	return &TemplateMetadata{Annotations: maps.Clone(m.Annotations), Labels: maps.Clone(m.Labels)}
}
