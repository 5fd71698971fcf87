// SPDX-License-Identifier: Apache-2.0

//go:build kube1.35

package upstream

// Minor is the minor version of the linked Kubernetes release: 35 is 1.35.
const Minor = 35
