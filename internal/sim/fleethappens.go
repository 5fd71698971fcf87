// SPDX-License-Identifier: Apache-2.0

package sim

// wroteOfFleet tells of a write, and notes who may own others.
func wroteOfFleet[T any](f *Fleet, t *table[T], r *request, o *T) {
	k := t.key(o)
	if r.verb == Create || r.verb == Remove {
		if mayOwn(t.kind) {
			f.known[*k.uid] = true
			if f.alive[*k.uid] = true; r.verb == Remove {
				delete(f.alive, *k.uid)
			}
		}
		if r.verb == Create && t.owner != nil && f.lost(t.owner(o)) {
			f.w.garbage = true
		}
	}
	if f.cfg.Happens != nil {
		uid := ""
		if k.uid != nil {
			uid = *k.uid
		}
		f.cfg.Happens(Happened{f.w.now, r.by.Role, r.verb, t.kind, *k.name, uid, r.action, r.stage})
	}
}

func mayOwn(k Kind) bool {
	switch k {
	case KindDeployment, KindReplicaSet, KindDaemonSet, KindSet, KindRollout, KindBatchRelease, KindThing, KindArgoRollout:
		return true
	}
	return false
}

// happens tells of a stage that changes nothing that is stored.
func (f *Fleet) happens(p podRef, s Stage) {
	if f.cfg.Happens == nil {
		return
	}
	kind := KindPod
	if p.daemon {
		kind = KindDaemon
	}
	f.cfg.Happens(Happened{At: f.w.now, By: NodeAgent, Verb: Update, Kind: kind, Name: p.Name, UID: p.UID, Stage: s})
}
