// `pnpm bench NAME`: runs one benchmark, prints its table, writes its figures to dist/bench/NAME.json.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { release, root } from '@gatehouse/end-to-end'
import { execa } from 'execa'

const benchmarks = ['call', 'boot'] as const
const name = process.argv[2]

if (!benchmarks.some((known) => known === name)) {
  process.stderr.write(`expected one of ${benchmarks.join(', ')}, got ${name ?? 'nothing'}\n  try: npx pnpm@12 bench call\n`)
  process.exit(2)
}
await execa(process.execPath, [join(root, 'tooling/build/src/main.ts')], { stdio: 'inherit' })
const { run } = (await import(`./${name}.ts`)) as { run: () => Promise<object> }
const figures = await run()
await mkdir(join(release, 'bench'), { recursive: true })
await writeFile(join(release, 'bench', `${name}.json`), `${JSON.stringify(figures, null, 2)}\n`)
