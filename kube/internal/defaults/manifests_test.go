// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// TestManifests: each row changes something in one of the manifests that the tests on a
// real cluster apply, and those of a template in one whose revisions have names. So what
// the table says is tried there to the last row.
func TestManifests(t *testing.T) {
	tried := map[string]bool{}
	for _, object := range manifests(t) {
		kind := reflect.TypeOf(object).Elem()
		for _, r := range tables()[kind] {
			before := object.DeepCopyObject()
			r.walk(place{value: reflect.ValueOf(object)}, r.names)
			if !reflect.DeepEqual(before, object) {
				tried[r.title(kind)] = true
			}
		}
	}
	var missing []string
	for kind, rows := range tables() {
		for _, r := range rows {
			if title := r.title(kind); !tried[title] && !slices.Contains(missing, title) && !refused(title) {
				missing = append(missing, title)
			}
		}
	}
	slices.Sort(missing)
	require.Empty(t, missing)
}

// title tells rows apart. Those of a template are the same for all kinds.
func (r *row) title(kind reflect.Type) string {
	path := strings.Join(r.names, ".")
	if strings.HasPrefix(path, "spec.template.") {
		return fmt.Sprint("template ", path, len(r.when), r.anyway)
	}
	return fmt.Sprint(kind, " ", path, len(r.when), r.anyway)
}

// refused reports whether an API server refuses every manifest in which a row could change
// something.
func refused(title string) bool { return strings.Contains(title, ".ephemeralContainers.") }

// manifests reads those that a cluster takes.
func manifests(t *testing.T) (objects []runtime.Object) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		if file == filepath.Join("testdata", "refused.yaml") {
			continue
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
		for {
			document, err := documents.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			objects = append(objects, decode(t, document))
		}
	}
	return objects
}

func decode(t *testing.T, document []byte) runtime.Object {
	var meta metav1.TypeMeta
	require.NoError(t, yaml.Unmarshal(document, &meta))
	for kind := range tables() {
		if version := path.Base(kind.PkgPath()); kind.Name() == meta.Kind && version == path.Base(meta.APIVersion) {
			object := reflect.New(kind).Interface().(runtime.Object)
			require.NoError(t, yaml.UnmarshalStrict(document, object))
			return object
		}
	}
	require.Fail(t, "no such kind", meta.Kind)
	return nil
}
