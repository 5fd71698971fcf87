// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A memory is a Store. Every write counts, and refuse says which are refused.
type memory struct {
	fleets  map[string]Fleet
	groups  map[string]Group
	servers map[string]Server
	writes  int
	refuse  func(write int) error
}

func newMemory(f Fleet) *memory {
	f.UID, f.Version, f.Generation = "fleet", "0", 1
	return &memory{fleets: map[string]Fleet{f.Name: f}, groups: map[string]Group{}, servers: map[string]Server{}}
}

// write counts a write, and returns the new version.
func (m *memory) write(known bool, want, is string) (string, error) {
	m.writes++
	if m.refuse != nil {
		if err := m.refuse(m.writes); err != nil {
			return "", err
		}
	}
	switch {
	case !known:
		return "", ErrNotFound
	case want != is:
		return "", ErrConflict
	}
	return fmt.Sprint(m.writes), nil
}

func (m *memory) Fleet(name string) (Fleet, error) { return m.fleets[name], nil }

func (m *memory) Groups(string) (list []Group, err error) {
	for _, g := range m.groups {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b Group) int { return cmp.Compare(a.UID, b.UID) })
	return list, nil
}

func (m *memory) Servers(group string) (list []Server, err error) {
	for _, s := range m.servers {
		if s.GroupUID == group {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Server) int { return cmp.Compare(a.UID, b.UID) })
	return list, nil
}

func (m *memory) PutFleet(f Fleet) (Fleet, error) {
	old, known := m.fleets[f.Name]
	version, err := m.write(known, f.Version, old.Version)
	if err != nil {
		return Fleet{}, err
	}
	f.Version = version
	m.fleets[f.Name] = f
	return f, nil
}

func (m *memory) PutGroup(g Group) (Group, error) {
	old, known := m.groups[g.UID]
	if g.UID == "" {
		for _, other := range m.groups {
			if other.Name == g.Name {
				return Group{}, ErrExists
			}
		}
		known, g.UID = true, fmt.Sprint("group-", m.writes)
	}
	version, err := m.write(known, g.Version, old.Version)
	if err != nil {
		return Group{}, err
	}
	g.Version = version
	m.groups[g.UID] = g
	return g, nil
}

func (m *memory) PutServer(s Server) (Server, error) {
	version, err := m.write(true, s.Version, s.Version)
	if err != nil {
		return Server{}, err
	}
	s.UID, s.Version = fmt.Sprintf("server-%03d", m.writes), version
	s.Name += "-" + version
	m.servers[s.UID] = s
	return s, nil
}

func (m *memory) DeleteGroup(uid, version string) error {
	g, known := m.groups[uid]
	_, err := m.write(known, version, g.Version)
	if err == nil {
		delete(m.groups, uid)
	}
	return err
}

func (m *memory) DeleteServer(uid, version string) error {
	s, known := m.servers[uid]
	_, err := m.write(known, version, s.Version)
	if err == nil {
		delete(m.servers, uid)
	}
	return err
}

// ready makes servers ready that are 20 seconds old, unless their image is broken.
func (m *memory) ready(now time.Time) {
	for uid, s := range m.servers {
		if s.ReadySince.IsZero() && now.Sub(s.Created) >= 20*time.Second && s.Image != "broken" {
			s.ReadySince, s.Version = now, s.Version+"r"
			m.servers[uid] = s
		}
	}
}
