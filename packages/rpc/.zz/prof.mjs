import { readFileSync, readdirSync } from 'node:fs'
for (const f of readdirSync('/tmp/zzprof')) {
  const p = JSON.parse(readFileSync('/tmp/zzprof/' + f)); const self = new Map(); const byId = new Map(p.nodes.map((n) => [n.id, n]))
  const dt = p.timeDeltas; p.samples.forEach((s, i) => { const n = byId.get(s); const k = n.callFrame.functionName + ' ' + n.callFrame.url.split('/').slice(-3).join('/') + ':' + n.callFrame.lineNumber; self.set(k, (self.get(k) ?? 0) + dt[i]) })
  const tot = [...self.values()].reduce((a, b) => a + b, 0)
  console.log('==', f); for (const [k, t] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 28)) console.log((t / tot * 100).toFixed(1), k)
}
