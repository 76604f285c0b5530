// Runs svcctl from a checkout: bundles it anew when a source changed, then becomes it.
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fingerprint } from './stamp.ts'
import { dist, svcctl } from './targets.ts'

const program = join(dist, svcctl.program)
const stamp = join(dist, svcctl.stamp)
const now = await fingerprint()
const before = existsSync(program) ? await readFile(stamp, 'utf8').catch(() => '') : ''

if (before !== now) {
  process.stderr.write('Building svcctl …\n')
  const [{ bundleSvcctl }, { copyAddonIfBuilt }] = await Promise.all([import('./svcctl.ts'), import('./bundle.ts')])
  await Promise.all([bundleSvcctl({ clean: false }), copyAddonIfBuilt()])
  await writeFile(stamp, now)
}

process.argv.splice(1, 1, program)
await import(pathToFileURL(program).href)
