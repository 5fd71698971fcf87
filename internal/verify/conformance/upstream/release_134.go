// SPDX-License-Identifier: Apache-2.0

//go:build kube1.34

package upstream

// Minor is the minor version of the linked Kubernetes release: 34 is 1.34.
const Minor = 34
