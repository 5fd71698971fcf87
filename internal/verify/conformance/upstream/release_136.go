// SPDX-License-Identifier: Apache-2.0

//go:build kube1.36

package upstream

// Minor is the minor version of the linked Kubernetes release: 36 is 1.36.
const Minor = 36
