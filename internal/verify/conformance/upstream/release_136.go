// SPDX-License-Identifier: Apache-2.0

//go:build kube1.36

package upstream

// Minor is the release that is linked: of Kubernetes 1.36 it is 36.
const Minor = 36
