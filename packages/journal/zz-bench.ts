import { execFileSync } from 'node:child_process'
import { readdirSync, statSync, existsSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { silentLogger } from '@gatehouse/kernel'
import { openJournal, verifyJournal } from './src/index.ts'
const dir = '/tmp/wt-journal/jb'; const path = `${dir}/audit.jsonl`
const n = Number(process.argv[2] ?? 400_000)
if (!existsSync(path)) {
  const j = await openJournal({ path, publicKeyPath: `${dir}/journal.pub`, seed: Buffer.alloc(32, 7), epoch: 1, log: silentLogger })
  const t = performance.now()
  for (let i = 0; i < n; i += 1000) await j.append(Array.from({ length: 1000 }, (_, k) => ({ stage: 'submit' as const, edge: 'control-plane', principal: 'admin', changeID: `chg_20261120125301.${String(i + k).padStart(9, '0')}`, kind: 'persona', agentGroupID: `group-${k % 97}`, detail: { text: 'x'.repeat(700) } })))
  await j.close(); console.log('wrote', ((performance.now() - t) / 1000).toFixed(1), 's')
}
const files = readdirSync(dir).filter((f) => f.endsWith('.jsonl')).map((f) => `${dir}/${f}`)
const mb = files.reduce((s, f) => s + statSync(f).size, 0) / 1e6
for (let i = 0; i < 3; i++) {
  let t = performance.now(); execFileSync('sha256sum', files); const sum = (performance.now() - t) / 1000
  t = performance.now(); const v = await verifyJournal({ path, publicKeyPath: `${dir}/journal.pub` }); const ver = (performance.now() - t) / 1000
  console.log(files.length, 'files', mb.toFixed(0), 'MB sha256sum', (mb / sum).toFixed(0), 'MB/s verify', (mb / ver).toFixed(0), 'MB/s', JSON.stringify(v).slice(0, 60))
}
