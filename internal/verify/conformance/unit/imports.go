// SPDX-License-Identifier: Apache-2.0

//go:build unit

package unit

// Imports of upstream's tests that nothing else in this module has.
import (
	_ "github.com/onsi/gomega"
	_ "k8s.io/kubernetes/test/utils/ktesting"
)
