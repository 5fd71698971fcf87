// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/revision"
)

// A new ReplicaSet has the labels of the template and the hash, in a map that is made
// large enough at once.
func TestNewLabels(t *testing.T) {
	d := Deployment{TemplateLabels: map[string]string{revision.LabelHash: "old"}, Template: revision.Template{Hash: "v2"}}
	for i := range 7 {
		d.TemplateLabels["k"+strconv.Itoa(i)] = ""
	}
	in := input{d: d}
	labels := in.newLabels()
	require.Len(t, labels, 8)
	require.Equal(t, "v2", labels[revision.LabelHash])
	require.Equal(t, "old", d.TemplateLabels[revision.LabelHash], "the argument stays as it is")

	var kept map[string]string
	once := testing.AllocsPerRun(10, func() { kept = make(map[string]string, 9) })
	require.Equal(t, once, testing.AllocsPerRun(10, func() { kept = in.newLabels() }))
	require.NotNil(t, kept)
}
