// A journal of a gigabyte and a million lines: verified beside sha256sum, then searched through the gateway.
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type JournalInput, openJournal, verifyJournal } from '@gatehouse/journal'
import { silentLogger } from '@gatehouse/kernel'
import { execa } from 'execa'
import { type Figures, timed } from '../measure.ts'
import { keys, startGateway, token } from './process.ts'

const lines = Number(process.env['BENCH_LINES'] ?? 1_000_000)
const batch = 1_000
const padding = 'x'.repeat(700)
const stages = ['launch', 'exit', 'kill', 'auth-failed'] as const

const lineOf = (number: number): JournalInput => ({
  stage: stages[number % stages.length] ?? 'launch',
  edge: 'runner',
  principal: number % 1_000 === 0 ? 'rare' : 'runner',
  agentGroupID: `group-${number % 97}`,
  detail: { session: `ses_${number}`, padding },
})

export const writeJournal = async (stateDir: string): Promise<string> => {
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  const path = join(stateDir, 'audit.jsonl')
  const journal = await openJournal({
    path,
    publicKeyPath: join(stateDir, 'journal.pub'),
    seed: Buffer.from(keys.journal, 'hex'),
    epoch: 1,
    log: silentLogger,
  })
  for (let from = 0; from < lines; from += batch)
    await journal.append(Array.from({ length: batch }, (_none, index) => lineOf(from + index)))
  await journal.close()
  return path
}

const filesOf = async (stateDir: string): Promise<string[]> =>
  (await readdir(stateDir)).filter((name) => /^audit(\.\d+)?\.jsonl$/.test(name)).map((name) => join(stateDir, name))

const seconds = async (act: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await act()
  return (performance.now() - start) / 1_000
}

export const measureVerify = async (stateDir: string, path: string) => {
  const files = await filesOf(stateDir)
  const bytes = (await Promise.all(files.map((file) => stat(file)))).reduce((sum, { size }) => sum + size, 0)
  const sum = (): Promise<unknown> => execa('sha256sum', files)
  const verify = async (): Promise<void> => {
    const verdict = await verifyJournal({ path, publicKeyPath: join(stateDir, 'journal.pub') })
    if (!verdict.ok) throw new Error(verdict.reason)
  }
  await sum()
  const times = { sha256sum: await seconds(sum), verify: await seconds(verify) }
  const megabytes = bytes / 1e6
  return { megabytes, sha256sum: megabytes / times.sha256sum, verify: megabytes / times.verify }
}

/** The gateway builds its index when it first meets the journal; that is timed, too. */
export const measureQueries = async (stateDir: string) => {
  const start = performance.now()
  const gateway = await startGateway(stateDir)
  const opened = (performance.now() - start) / 1_000
  const filters = {
    'the newest': {},
    'by stage': { stage: 'kill' },
    'by principal, one in a thousand': { principal: 'rare' },
    'by group': { agentGroupID: 'group-11' as never },
    'by group and stage': { agentGroupID: 'group-12' as never, stage: 'exit' },
    'an hour ago until now': { since: new Date(Date.now() - 3_600_000).toISOString(), stage: 'launch' },
  }
  try {
    const rows: [string, Figures][] = []
    for (const [name, filter] of Object.entries(filters)) {
      const query = async (): Promise<void> => {
        const { items } = await gateway.controlPlane.calls.audit({ token, limit: 50, ...filter })
        if (items.length === 0) throw new Error(`${name}: expected lines, got none`)
      }
      await query()
      rows.push([name, await timed(query, 200, 1)])
    }
    return { opened, rows }
  } finally {
    await gateway.stop()
  }
}
