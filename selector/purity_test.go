// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/selector"
)

// So are errors of validation and conversion, as long as the order stays.
func TestErrors_pure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		purity.Check(t, random.LabelSelector(random.Rapid(t)), func(ls *selector.LabelSelector) (string, error) {
			if err := selector.Validate(ls, "spec.selector", selector.ValidateOptions{}); err != nil {
				return "", err
			}
			s, err := selector.FromLabelSelector(ls)
			return s.String(), err
		})
	})
}
