// SPDX-License-Identifier: Apache-2.0

//go:build kube1.34

package upstream

import "k8s.io/apimachinery/pkg/util/validation"

// IsLabelKey returns what is wrong with the key of a label.
func IsLabelKey(key string) []string { return validation.IsQualifiedName(key) }
