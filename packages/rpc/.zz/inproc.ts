import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, connect } from 'node:net'
import { once } from 'node:events'
import { connectEdge, serveEdge } from '../src/index.ts'
import { edge, bare } from './edge.ts'
const dir = mkdtempSync('/tmp/rpcb-')
await serveEdge(edge, { path: dir + '/ours.sock', secret: 's', handlers: { authorize: () => ({ allowed: true as const, agentGroupID: 'g' }) } })
const s = createServer((socket) => bare(socket, { authorize: () => ({ allowed: true, agentGroupID: 'g' }) })).listen(dir + '/bare.sock'); await once(s, 'listening')
const client = connectEdge(edge, { path: dir + '/ours.sock', secret: 's' })
const socket = connect(dir + '/bare.sock'); await once(socket, 'connect')
const rpc = bare(socket, {})
const params = { session: 'ses_aaaaaaaaaaaaa', server: 'sample', tool: 'echo' }
const acts: Record<string, () => Promise<unknown>> = { bare: () => rpc.authorize(params), ours: () => client.calls.authorize(params) }
const cpu = async (act: () => Promise<unknown>, n: number) => { const c0 = process.cpuUsage(); for (let i = 0; i < n; i++) await act(); const c = process.cpuUsage(c0); return (c.user + c.system) / n }
for (const a of Object.values(acts)) await cpu(a, 20000)
const r: Record<string, number[]> = { bare: [], ours: [] }
for (let i = 0; i < 5; i++) for (const [k, a] of Object.entries(acts)) r[k]!.push(await cpu(a, 10000))
const m = (k: string) => r[k]!.sort((a, b) => a - b)[2]!
console.log('both ends, cpu us per call: bare', m('bare').toFixed(1), 'ours', m('ours').toFixed(1), 'ratio', (m('ours') / m('bare')).toFixed(2))
rmSync(dir, { recursive: true }); process.exit(0)
