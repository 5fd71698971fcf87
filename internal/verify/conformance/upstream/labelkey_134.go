// SPDX-License-Identifier: Apache-2.0

//go:build kube1.34

package upstream

import "k8s.io/apimachinery/pkg/util/validation"

// IsLabelKey returns the validation errors of a label key.
func IsLabelKey(key string) []string { return validation.IsQualifiedName(key) }
