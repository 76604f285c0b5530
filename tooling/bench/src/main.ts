// `pnpm bench NAME [--quick]`: builds, runs one benchmark, prints its table, writes its figures to dist/bench/NAME.json.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { release, root } from '@gatehouse/end-to-end'
import { execa } from 'execa'

const benchmarks = {
  broker: () => import('./broker.ts'),
  boot: () => import('./boot.ts'),
  gateway: () => import('./gateway.ts'),
  model: () => import('./model.ts'),
  cli: () => import('./cli.ts'),
  noisy: () => import('./noisy.ts'),
  sandbox: () => import('./sandbox.ts'),
  slow: () => import('./slow.ts'),
  structure: () => import('./structure.ts'),
  soak: () => import('./soak.ts'),
}

const isBenchmark = (name: string | undefined): name is keyof typeof benchmarks => name !== undefined && Object.hasOwn(benchmarks, name)

const name = process.argv[2]
if (!isBenchmark(name)) {
  process.stderr.write(`expected one of ${Object.keys(benchmarks).join(', ')}, got ${name ?? 'nothing'}\n  try: npx pnpm@12 bench broker\n`)
  process.exit(2)
}
await execa(process.execPath, [join(root, 'tooling/build/src/main.ts')], { stdio: 'inherit' })
const { run } = await benchmarks[name]()
const figures = await run(process.argv.slice(3))
await mkdir(join(release, 'bench'), { recursive: true })
await writeFile(join(release, 'bench', `${name}.json`), `${JSON.stringify(figures, null, 2)}\n`)
