// How long a command of svcctl takes from its start to its end, beside a bare Node in the same run.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { release, startUnit } from '@gatehouse/end-to-end'
import { execa } from 'execa'
import { type Figures, printTable, timed } from './measure.ts'

const rounds = 31
const program = join(release, 'svcctl/svcctl.mjs')

export const run = async (): Promise<object> => {
  const unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'] })
  const cache = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  const start = (...args: string[]) =>
    execa(process.execPath, args, { env: { XDG_CACHE_HOME: cache, SERVICE_API_URL: unit.address }, extendEnv: false })
  const measured = async (...args: string[]): Promise<Figures> => {
    await start(...args)
    return await timed(() => start(...args), rounds, 1)
  }
  try {
    const bare = await measured('-e', '0')
    const rows: [string, Figures][] = [
      ['bare Node', bare],
      ['svcctl --help', await measured(program, '--help')],
      ['svcctl change pending', await measured(program, 'change', 'pending')],
      ['svcctl status', await measured(program, 'status')],
    ]
    printTable(rows)
    for (const [name, { p50 }] of rows.slice(1)) process.stdout.write(`${name}: ${(p50 - bare.p50).toFixed(0)} ms above bare Node\n`)
    return Object.fromEntries(rows)
  } finally {
    await unit.dispose()
    await rm(cache, { recursive: true, force: true })
  }
}
