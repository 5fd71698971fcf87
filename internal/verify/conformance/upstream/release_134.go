// SPDX-License-Identifier: Apache-2.0

//go:build kube1.34

package upstream

// Minor is the release that is linked: of Kubernetes 1.34 it is 34.
const Minor = 34
