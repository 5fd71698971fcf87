// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/kube"
)

// Only a selector without any part stops a Deployment of upstream: an empty map and an
// empty list select everything.
func TestEmptySelectorsStayApart(t *testing.T) {
	for _, s := range []*metav1.LabelSelector{
		nil,
		{},
		{MatchLabels: map[string]string{}},
		{MatchExpressions: []metav1.LabelSelectorRequirement{}},
	} {
		require.Equal(t, s, kube.ToLabelSelector(kube.LabelSelector(s)))
	}
	ls := kube.LabelSelector(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{}})
	require.NotNil(t, ls.MatchExpressions)
	require.Nil(t, ls.MatchLabels)
}
