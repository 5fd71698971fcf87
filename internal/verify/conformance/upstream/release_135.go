// SPDX-License-Identifier: Apache-2.0

//go:build kube1.35

package upstream

// Minor is the release that is linked: of Kubernetes 1.35 it is 35.
const Minor = 35
