// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/rollout/sim/record"
)

// inside is the namespace of a workload: names have it as a prefix in a simulation, but not in a
// cluster.
type inside string

func (n inside) name(name string) string {
	if n == "" {
		return name
	}
	return strings.TrimPrefix(name, string(n)+"/")
}

// text removes the namespace from quoted names in a message.
func (n inside) text(message string) string {
	if n == "" {
		return message
	}
	return strings.ReplaceAll(n.name(message), `"`+string(n)+"/", `"`)
}

func (n inside) steps(list []record.Step) []record.Step {
	list = slices.Clone(list)
	for i := range list {
		p := &list[i]
		p.Plan = n.value(reflect.ValueOf(p.Plan)).Interface().(fmt.Stringer)
		if p.Idle != nil {
			p.Idle = n.value(reflect.ValueOf(p.Idle)).Interface().(fmt.Stringer)
		}
		p.Parts = n.parts(p.Parts)
	}
	return list
}

func (n inside) sizes(list []record.Sizes) []record.Sizes {
	list = slices.Clone(list)
	for i := range list {
		list[i].Parts = n.parts(list[i].Parts)
	}
	return list
}

func (n inside) parts(list []record.Part) []record.Part {
	list = slices.Clone(list)
	for i := range list {
		list[i].Name, list[i].Template = n.name(list[i].Name), n.name(list[i].Template)
	}
	return list
}

// value returns a copy of a plan, or of a part of it, with names as in a cluster. It removes
// resource versions, which only mean something in the simulation.
func (n inside) value(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(n.text(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			switch f := v.Type().Field(i); {
			case !f.IsExported():
			case f.Name == "ResourceVersion":
				out.Field(i).SetZero()
			default:
				out.Field(i).Set(n.value(v.Field(i)))
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			break
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(n.value(v.Index(i)))
		}
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(n.value(v.Elem()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(n.value(v.Elem()))
		}
	}
	return out
}

// history removes the namespace from the names of a history, which may be nil.
func (n inside) history(h *record.History) {
	if h == nil || n == "" {
		return
	}
	for i := range h.Pods {
		p := &h.Pods[i].Pod
		p.Name, p.ControllerName = n.name(p.Name), n.name(p.ControllerName)
	}
	for i := range h.Deployments {
		h.Deployments[i].Object.Name = n.name(h.Deployments[i].Object.Name)
	}
	for i := range h.ReplicaSets {
		rs := &h.ReplicaSets[i].Object
		rs.Name, rs.ControllerName = n.name(rs.Name), n.name(rs.ControllerName)
	}
	for i := range h.DaemonSets {
		h.DaemonSets[i].Object.Name = n.name(h.DaemonSets[i].Object.Name)
	}
}
