// SPDX-License-Identifier: Apache-2.0
'use strict'
// Runs the simulator beside the page, so that this stays usable however long it takes. The program
// is compressed by us and not by the server, so that any server will do.
importScripts('wasm_exec.js')

const ready = (async () => {
  const packed = await fetch('kplan.wasm.gz')
  if (!packed.ok) throw new Error(`kplan.wasm.gz: ${packed.status}`)
  // Some servers say that it is packed, and then the browser has unpacked it already.
  const bytes = new Uint8Array(await packed.arrayBuffer())
  const still = bytes[0] === 0x1f && bytes[1] === 0x8b
  const plain = still ? new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')) : bytes
  const go = new Go()
  const { instance } = await WebAssembly.instantiateStreaming(new Response(plain, { headers: { 'Content-Type': 'application/wasm' } }), go.importObject)
  go.run(instance).then(() => { throw new Error('the simulator has ended') })
})()

onmessage = async ({ data }) => {
  await ready.then(() => postMessage(JSON.parse(kplan(JSON.stringify(data)))))
    .catch(e => postMessage({ error: `The simulator does not work here: ${e.message}` }))
}
