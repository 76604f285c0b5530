import { mkdtempSync, rmSync } from 'node:fs'
import * as v from 'valibot'
import { call, defineEdge } from '@gatehouse/contracts'
import { createLogger } from '@gatehouse/kernel'
import { connectEdge, serveEdge } from '../src/index.ts'
const edge = defineEdge({ server: 's', caller: 'c', calls: { add: call(v.strictObject({ a: v.number(), b: v.number() }), v.number()), big: call(v.strictObject({ n: v.number() }), v.string(), { large: true }) }, events: { tick: v.strictObject({ n: v.number() }) } })
const dir = mkdtempSync('/tmp/rpc-')
const path = dir + '/s.sock'
const log = createLogger({ process: 't', level: 'debug' })
const server = await serveEdge(edge, { path, secret: 'x', log, handlers: { add: ({ a, b }) => a + b, big: ({ n }) => 'x'.repeat(n) } })
const client = connectEdge(edge, { path, secret: 'x', log, on: { tick: (p) => console.log('tick', p) }, onConnect: () => console.log('up') })
console.log(await client.calls.add({ a: 1, b: 2 }))
console.log((await client.calls.big({ n: 1e6 })).length)
await client.calls.big({ n: 9e6 }).catch((e) => console.log(e.code, e.detail))
await client.calls.add({ a: 1, b: 'x' } as never).catch((e) => console.log(e.code, e.detail, e.errors))
server.publish('tick', { n: 1 })
await new Promise((r) => setTimeout(r, 20))
client.close()
await server.close()
rmSync(dir, { recursive: true })
