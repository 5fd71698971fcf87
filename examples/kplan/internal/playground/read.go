// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A manifest is a Deployment with the fields that a rollout depends on.
type manifest struct {
	Metadata struct {
		Name        string            `yaml:"name"`
		Namespace   string            `yaml:"namespace"`
		Annotations map[string]string `yaml:"annotations"`
	} `yaml:"metadata"`
	Spec struct {
		Replicas                *int32    `yaml:"replicas"`
		Selector                *selects  `yaml:"selector"`
		Template                yaml.Node `yaml:"template"`
		Strategy                strategy  `yaml:"strategy"`
		MinReadySeconds         int32     `yaml:"minReadySeconds"`
		ProgressDeadlineSeconds *int32    `yaml:"progressDeadlineSeconds"`
		RevisionHistoryLimit    *int32    `yaml:"revisionHistoryLimit"`
		Paused                  bool      `yaml:"paused"`
	} `yaml:"spec"`

	template pods
	id       string // of the template, see canonical
}

type selects struct {
	MatchLabels      map[string]string `yaml:"matchLabels"`
	MatchExpressions []struct {
		Key      string   `yaml:"key"`
		Operator string   `yaml:"operator"`
		Values   []string `yaml:"values"`
	} `yaml:"matchExpressions"`
}

type strategy struct {
	Type          string `yaml:"type"`
	RollingUpdate struct {
		MaxSurge       yaml.Node `yaml:"maxSurge"`
		MaxUnavailable yaml.Node `yaml:"maxUnavailable"`
	} `yaml:"rollingUpdate"`
}

// The pods hold the known fields of a template.
type pods struct {
	Metadata struct {
		Labels map[string]string `yaml:"labels"`
	} `yaml:"metadata"`
	Spec struct {
		Containers []struct {
			Image string `yaml:"image"`
		} `yaml:"containers"`
	} `yaml:"spec"`
}

// images returns the images of the containers.
func (m *manifest) images() string {
	var list []string
	for _, c := range m.template.Spec.Containers {
		list = append(list, c.Image)
	}
	return strings.Join(list, ", ")
}

// read returns the Deployments of a text and the names of other objects.
func read(text string) (found []*manifest, others []string, err error) {
	if err := short(text); err != nil {
		return nil, nil, err
	}
	d, b := yaml.NewDecoder(strings.NewReader(text)), bound{sizes: map[*yaml.Node]int{}}
	for {
		var document yaml.Node
		switch err := d.Decode(&document); {
		case errors.Is(err, io.EOF):
			return found, others, nil
		case err != nil:
			return nil, nil, plainError(err)
		}
		if err := b.document(&document); err != nil {
			return nil, nil, err
		}
		list, more, err := objects(&document)
		if err != nil {
			return nil, nil, plainError(err)
		}
		found, others = append(found, list...), append(others, more...)
	}
}

// plainError returns an error without the name of the YAML library.
func plainError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n")
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return errors.New(strings.Join(lines, "; "))
}

// objects returns the Deployments of a document, which may be a list, and the names of other
// objects.
func objects(document *yaml.Node) (found []*manifest, others []string, err error) {
	var head struct {
		Kind     string                `yaml:"kind"`
		Version  string                `yaml:"apiVersion"`
		Metadata struct{ Name string } `yaml:"metadata"`
		Items    []yaml.Node           `yaml:"items"`
	}
	if document.Kind == 0 || document.Kind == yaml.DocumentNode && document.Content[0].Tag == "!!null" {
		return nil, nil, nil
	}
	if err := document.Decode(&head); err != nil {
		return nil, nil, err
	}
	switch {
	case head.Kind == "":
		return nil, nil, fmt.Errorf("line %d: an object needs a kind", document.Line)
	case strings.HasSuffix(head.Kind, "List"):
		for i := range head.Items {
			list, more, err := objects(&head.Items[i])
			if err != nil {
				return nil, nil, err
			}
			found, others = append(found, list...), append(others, more...)
		}
		return found, others, nil
	case head.Kind != "Deployment" || !strings.HasPrefix(head.Version, "apps/"):
		return nil, []string{strings.TrimSpace(head.Kind + " " + head.Metadata.Name)}, nil
	}
	m := &manifest{}
	if err := document.Decode(m); err != nil {
		return nil, nil, err
	}
	return []*manifest{m}, nil, m.readTemplate()
}

// readTemplate decodes the template twice: its known fields, and all of it.
func (m *manifest) readTemplate() error {
	if m.Spec.Template.Kind == 0 {
		return errors.New("spec.template: must be set")
	}
	if err := m.Spec.Template.Decode(&m.template); err != nil {
		return err
	}
	var whole any
	if err := m.Spec.Template.Decode(&whole); err != nil {
		return err
	}
	var err error
	m.id, err = canonical(whole)
	return err
}

// choose returns the first Deployment of the next text, and the running one with the same name.
func choose(now, next []*manifest) (from, to *manifest, err error) {
	if len(next) == 0 {
		return nil, nil, errors.New("no Deployment in it: the kind must be Deployment, of apps/v1")
	}
	to = next[0]
	i := slices.IndexFunc(now, func(m *manifest) bool { return m.Metadata.Name == to.Metadata.Name })
	if i < 0 {
		return nil, to, nil
	}
	return now[i], to, nil
}
