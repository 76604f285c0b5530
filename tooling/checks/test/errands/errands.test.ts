// What a contributor adds most often, done on a copy of the tree: the new thing appears in the reference by itself, and a forgotten
// place is an error of types or of a test.
// Profile: rest. It compiles a copy of the whole tree twice.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { errands } from './all.ts'
import { type Copy, copyTree } from './copy.ts'

suite('errands on a copy of the tree', () => {
  const tests = errands.flatMap((errand) => errand.tests ?? []).map(({ file }) => file)
  let copy: Copy

  before(async () => {
    copy = await copyTree()
  })
  after(() => copy[Symbol.asyncDispose]())

  test('a forgotten place is an error of types in that file', async () => {
    for (const { name } of errands) await copy.edit(name)
    const lines = (await copy.types(tests)).split('\n')
    for (const { task, forgotten } of errands) {
      for (const [file, error] of forgotten) {
        const own = lines.filter(
          (line) => line.startsWith(`${file}(`) || line.startsWith(' ') || `apps/console/${line}`.startsWith(`${file}(`),
        )
        assert.ok(
          own.some((line) => error.test(line)),
          `${task}: ${file} has no error like ${error}:\n${lines.join('\n')}`,
        )
      }
    }
  })

  const checks: readonly (readonly [
    what: string,
    run: (env?: Readonly<Record<string, string>>) => ReturnType<Copy['test']>,
    text: string,
  ])[] = [
    ['a kind without a case of its inverse', () => copy.test('packages/gateway/test/kinds/round-trip.test.ts'), 'rename'],
    [
      'a command that the snapshot of svcctl does not have',
      (env) => copy.test('apps/svcctl/test/surface.test.ts', { name: 'is the one that was promised', ...(env && { env }) }),
      'group count',
    ],
    [
      'a route that the document does not have',
      (env) =>
        copy.test('packages/control-plane/test/openapi/generate.test.ts', { name: 'openapi is what is committed', ...(env && { env }) }),
      '/v1/freeze/count',
    ],
  ]

  test('a kind, command or route that is not in the tests or documents yet fails a test', async () => {
    for (const { rest } of errands) await copy.edit(rest)
    for (const [what, run, text] of checks) {
      const { ok, output } = await run()
      assert.ok(!ok && output.includes(text), `${what} failed nothing:\n${output}`)
    }
  })

  test('with every place there is no error, and the tests of the tables pass', async () => {
    for (const errand of errands) await copy.edit(errand.tests ?? [])
    assert.equal(await copy.types(tests), '')
    const help = await copy.test('apps/supervisor/test/plan/help.test.ts')
    assert.ok(help.ok, help.output)
    for (const [what, run] of checks) {
      const { ok, output } = await run({ UPDATE: '1', UPDATE_SNAPSHOT: '1' })
      assert.ok(ok, `${what}:\n${output}`)
    }
  })

  test('the new things appear in the reference by themselves', async () => {
    await copy.run('tooling/reference/src/main.ts')
    for (const { task, shown } of errands)
      for (const [page, text] of shown) assert.match(await copy.read(`docs/reference/${page}`), text, task)
  })
})
