// SPDX-License-Identifier: Apache-2.0

//go:build unit

package unit

// What upstream's tests import and nothing else of this module does.
import (
	_ "github.com/onsi/gomega"
	_ "k8s.io/kubernetes/test/utils/ktesting"
)
