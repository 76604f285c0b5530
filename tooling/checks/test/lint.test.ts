// What lint looks at again: what differs from when it passed, and what depends on that.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { lint } from '../src/lint.ts'
import { readPackages, withDependents } from '../src/workspace.ts'
import { plant } from './plant.ts'

const floating = '// Planted.\nexport const planted = (act: () => Promise<void>): void => {\n  act()\n}\n'

test('lints only what differs from when it passed, and finds there what it found before', async () => {
  using planted = plant()
  const context = { root: planted.root, full: false }
  const file = join(planted.root, 'packages/gateway/src/planted.ts')
  assert.deepEqual(await lint.run(context), { ok: true, report: '', figures: '4 of 4 packages' })
  assert.deepEqual(await lint.run(context), { ok: true, report: '', figures: 'nothing differs from when it passed' })

  writeFileSync(file, floating)
  for (const again of [1, 2]) {
    const { ok, report, figures } = await lint.run(context)
    assert.deepEqual([ok, figures], [false, '1 of 4 packages'], `run ${again}`)
    assert.match(report, /gateway\/src\/planted\.ts.*no-floating-promises/)
  }
  rmSync(file)
  assert.equal((await lint.run(context)).figures, 'nothing differs from when it passed')

  const settings = join(planted.root, 'tsconfig.json')
  writeFileSync(settings, '{ "extends": "./tsconfig.base.json", "include": ["packages/*/src"] }\n')
  assert.equal((await lint.run(context)).figures, '4 of 4 packages')
})

test('knows dependents by their manifests, and by paths that lead into another package', () => {
  using planted = plant()
  writeFileSync(join(planted.root, 'packages/kernel/src/reach.ts'), "import '../../../packages/broker/src/service.ts'\n")
  const packages = readPackages(planted.root)
  const affectedBy = (folder: string): string[] => [
    ...withDependents(
      packages,
      packages.filter((one) => one.folder === folder),
    ),
  ]
  assert.deepEqual(affectedBy('packages/gateway'), ['packages/gateway'])
  assert.deepEqual(affectedBy('packages/broker'), ['packages/broker', 'packages/kernel', 'packages/gateway'])
})
