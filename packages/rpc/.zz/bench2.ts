import { mkdtempSync, rmSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { connectEdge } from '../src/index.ts'
import { edge, bare } from './edge.ts'
const dir = mkdtempSync('/tmp/rpcb-')
const child = spawn(process.execPath, ['--cpu-prof','--cpu-prof-dir=/tmp/zzprof',import.meta.dirname + '/server.ts', dir], { stdio: ['ignore', 'pipe', 'inherit'] })
await once(child.stdout, 'data')
const client = connectEdge(edge, { path: dir + '/ours.sock', secret: 's' })
const socket = connect(dir + '/bare.sock'); await once(socket, 'connect')
const rpc = bare(socket, {})
const params = { session: 'ses_aaaaaaaaaaaaa', server: 'sample', tool: 'echo' }
const acts: Record<string, () => Promise<unknown>> = { bare: () => rpc.authorize(params), ours: () => client.calls.authorize(params) }
const run = async (act: () => Promise<unknown>, n: number, conc: number) => {
  const times: number[] = []; let left = n
  const t0 = performance.now(), c0 = process.cpuUsage()
  await Promise.all(Array.from({ length: conc }, async () => { while (left-- > 0) { const t = performance.now(); await act(); times.push(performance.now() - t) } }))
  times.sort((a, b) => a - b)
  const c = process.cpuUsage(c0)
  return { p50: times[times.length >> 1]!, p99: times[Math.floor(times.length * 0.99)]!, rate: n / (performance.now() - t0) * 1000, cpu: (c.user + c.system) / n }
}
for (const conc of [1]) {
  const n = conc === 1 ? 20000 : 40000
  for (const a of Object.values(acts)) await run(a, 15000, conc)
  const all: Record<string, any[]> = { bare: [], ours: [] }
  for (let r = 0; r < 5; r++) for (const [k, a] of Object.entries(acts).filter(([k])=>k==="ours")) all[k]!.push(await run(a, n, conc))
  const med = (k: string, f: string) => all[k]!.map((x) => x[f]).sort((a, b) => a - b)[2]
  console.log(conc, med("ours","p50"))
}
client.close(); socket.destroy(); child.kill('SIGINT'); rmSync(dir, { recursive: true })
