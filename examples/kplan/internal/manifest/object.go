// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
)

// An Object is a workload of any kind, planned or not, or a Rollout, as the API server has it
// once it was applied: what another source may differ in.
type Object struct {
	ID
	File  string
	Wrong error // why the API server would reject it, so that it is not in the [Set]

	text   packed.Text
	packer *packed.Packer
}

// Open returns the object with its defaults, as far as the API server would fill them in.
func (o *Object) Open() (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	text, err := o.packer.Unpack(o.text)
	if err != nil {
		return u, err
	}
	if err := u.UnmarshalJSON(text); err != nil {
		return u, err
	}
	typed := defaulted(u)
	if typed == nil {
		return u, nil
	}
	complete, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err == nil {
		u.Object["spec"] = complete["spec"]
	}
	return u, err
}
