// Starts a unit from a checkout: builds what changed, then becomes the supervisor. Without flags it is a `--dev` unit.
import { join } from 'node:path'
import { execa } from 'execa'
import { builtFrom, fingerprint } from './stamp.ts'
import { dist } from './targets.ts'

const flags = process.argv.slice(2).filter((argument, index) => !(index === 0 && argument === '--'))

if ((await builtFrom()) !== (await fingerprint())) {
  process.stderr.write('Building what changed …\n')
  await execa(process.execPath, [join(import.meta.dirname, 'main.ts')], { stdio: ['ignore', 'inherit', 'inherit'] })
}

const supervisor = join(dist, 'gatehouse.mjs')
process.argv.splice(1, Infinity, supervisor, ...flags)
await import(supervisor)
