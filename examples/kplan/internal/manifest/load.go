// Package manifest reads Deployments, with their ReplicaSets and pods, from files
// as people write them and as kubectl prints them.
package manifest

import (
	"errors"
	"fmt"
	"io"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/cli-runtime/pkg/resource"
)

// standardInput is how messages name it.
const standardInput = "standard input"

// A Source is where to read from.
type Source struct {
	Filenames []string // files, folders, patterns, or "-" for standard input
	Recursive bool     // whether to read the folders within folders
	Stdin     io.Reader
}

// A Set is what a source holds, in the order of the source.
type Set struct {
	Workloads []Workload
	Notes     []string // what was passed over, for the user to know
}

// Load reads a source. It accesses no cluster.
func Load(s Source) (*Set, error) {
	l, err := s.read()
	if err != nil {
		return nil, err
	}
	return l.set()
}

func (s Source) read() (*loader, error) {
	infos, err := s.infos()
	if err != nil {
		return nil, err
	}
	l := &loader{}
	for _, info := range infos {
		if err := l.add(info); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (s Source) infos() ([]*resource.Info, error) {
	b := resource.NewLocalBuilder().Unstructured().Flatten()
	var files []string
	for _, name := range s.Filenames {
		switch {
		case name == "-":
			b = b.Stream(s.Stdin, standardInput)
		case strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://"):
			return nil, &Error{File: name, Err: errors.New("only files, folders and standard input are read")}
		default:
			files = append(files, name)
		}
	}
	if len(files) > 0 {
		b = b.FilenameParam(false, &resource.FilenameOptions{Filenames: files, Recursive: s.Recursive})
	}
	infos, err := b.Do().Infos()
	if err != nil {
		return nil, readError(err)
	}
	return infos, nil
}

// readError reduces what went wrong while reading to one line.
func readError(err error) error {
	var all utilerrors.Aggregate
	if errors.As(err, &all) && len(all.Errors()) > 0 {
		err = all.Errors()[0]
	}
	return errors.New(strings.TrimPrefix(firstLine(err), "error "))
}

// A loader sorts objects by kind.
type loader struct {
	deployments []source[appsv1.Deployment]
	replicaSets []source[appsv1.ReplicaSet]
	pods        []source[corev1.Pod]
	notes       []string
}

// A source is an object and the file that holds it.
type source[T any] struct {
	object *T
	file   string
}

func (l *loader) add(info *resource.Info) error {
	u, ok := info.Object.(*unstructured.Unstructured)
	if !ok {
		return &Error{File: info.Source, Err: fmt.Errorf("%T is not an object", info.Object)}
	}
	switch u.GetAPIVersion() + " " + u.GetKind() {
	case "apps/v1 Deployment":
		return add(l, &l.deployments, u, info.Source)
	case "apps/v1 ReplicaSet":
		return add(l, &l.replicaSets, u, info.Source)
	case "v1 Pod":
		return add(l, &l.pods, u, info.Source)
	}
	what := describe(u.GetKind(), u.GetName())
	if u.GetKind() == "Deployment" {
		what += " of " + u.GetAPIVersion()
	}
	l.notes = append(l.notes, fmt.Sprintf("%s: skipped %s", info.Source, what))
	return nil
}

func add[T any](l *loader, list *[]source[T], u *unstructured.Unstructured, file string) error {
	object := new(T)
	unknown, err := decode(u, object)
	if err != nil {
		return &Error{File: file, Object: describe(u.GetKind(), u.GetName()), Err: err}
	}
	for _, err := range unknown {
		l.notes = append(l.notes, fmt.Sprintf("%s: %s: %v", file, describe(u.GetKind(), u.GetName()), err))
	}
	*list = append(*list, source[T]{object, file})
	return nil
}
