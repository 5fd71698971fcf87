// SPDX-License-Identifier: Apache-2.0
'use strict'
const get = id => document.getElementById(id)
const texts = ['now', 'next'], sliders = ['start', 'terminate', 'jitter', 'notice', 'zones']

const example = tag => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 6
  strategy:
    rollingUpdate:
      maxSurge: 25%
      maxUnavailable: 25%
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example.com/web:${tag}
`
const usual = { now: example('1.0'), next: example('1.1'), start: 10, terminate: 5, jitter: 0, notice: 0, zones: 1, broken: false, step: 1 }
let step = 1

// What is shown is what the controls say; the address keeps it.
function state() {
  const s = { step, broken: get('broken').checked }
  for (const id of texts) s[id] = get(id).value
  for (const id of sliders) s[id] = Number(get(id).value)
  return s
}

function restore(s) {
  s = { ...usual, ...s }
  for (const id of [...texts, ...sliders]) get(id).value = s[id]
  get('broken').checked = Boolean(s.broken)
  step = Number(s.step) || 1
}

// squeeze and widen pack bytes, and unpack them.
const through = (bytes, stream) => new Response(new Blob([bytes]).stream().pipeThrough(stream))
async function squeeze(text) {
  const bytes = new Uint8Array(await through(text, new CompressionStream('deflate-raw')).arrayBuffer())
  let binary = ''
  for (const b of bytes) binary += String.fromCharCode(b)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
function widen(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0))
  return through(bytes, new DecompressionStream('deflate-raw')).text()
}

let saving
function save() {
  clearTimeout(saving)
  saving = setTimeout(async () => {
    const fragment = await squeeze(JSON.stringify(state()))
    try { history.replaceState(null, '', '#' + fragment) } catch { /* where there is no address, or too often */ }
  }, 250)
}

async function load() {
  const fragment = location.hash.slice(1)
  let s = {}
  if (fragment) {
    try { s = JSON.parse(await widen(fragment)) } catch { get('address').textContent = 'The address does not hold a rollout, so this is an example.' }
  }
  restore(s)
  ask()
}

// One question is under way at a time; what is typed meanwhile is asked as one.
let worker, asked = 0, waiting = false
function start() {
  worker = new Worker('worker.js')
  worker.onmessage = ({ data }) => answer(data)
  worker.onerror = () => { start(); answer({ error: 'The simulator has failed; the next change starts it anew.' }) }
}
function ask() {
  for (const id of sliders) {
    const seconds = get(id).value + (id === 'zones' ? '' : 's')
    document.querySelector(`output[for=${id}]`).textContent = seconds
  }
  if (asked) { waiting = true; return }
  const { now, next, step: _, ...environment } = state()
  asked = performance.now()
  worker.postMessage({ now, next, environment })
}

function answer(out) {
  const since = asked
  asked = 0
  if (waiting) { waiting = false; ask() }
  for (const id of texts) {
    const wrong = out.box === id
    get(id).setAttribute('aria-invalid', wrong)
    get(id + '-error').textContent = wrong ? out.error : ''
  }
  get('error').textContent = out.error && !out.box ? out.error : ''
  get('notes').replaceChildren(...(out.notes ?? []).map(text => { const li = document.createElement('li'); li.textContent = text; return li }))
  get('answer').classList.toggle('stale', Boolean(out.error))
  get('status').classList.toggle('said', !out.error)
  if (out.error) {
    get('status').textContent = 'Not simulated; this is how it was before.'
    return
  }
  const scrolled = document.querySelector('.chart')?.scrollLeft ?? 0
  get('answer').innerHTML = out.section // of the simulator, which has escaped what is typed
  document.querySelector('.chart').scrollLeft = scrolled
  get('status').textContent = out.verdict + '.' // which is seen below it, and so for those who listen
  showSteps(document.querySelector('#answer section'), step, picked => { step = picked; save() })
  performance.measure('answer', { start: since, end: performance.now() })
}

for (const id of [...texts, ...sliders, 'broken']) {
  get(id).addEventListener('input', () => { get('address').textContent = ''; ask(); save() })
}
addEventListener('hashchange', load)
start()
load()
