// The workflows: what they run exists here, what they take from others is named by its content, and they may do no more than they must.
import assert from 'node:assert/strict'
import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import * as v from 'valibot'
import { parse } from 'yaml'
import { checkout } from './made.ts'

const Permissions = v.record(v.string(), v.picklist(['read', 'write', 'none']))
const Job = v.looseObject({
  permissions: v.optional(Permissions),
  'timeout-minutes': v.number(),
  steps: v.array(
    v.looseObject({ uses: v.optional(v.string()), run: v.optional(v.string()), with: v.optional(v.record(v.string(), v.unknown())) }),
  ),
})
const Workflow = v.looseObject({ permissions: Permissions, jobs: v.record(v.string(), Job) })

const folder = join(checkout, '.github/workflows')
const names = await readdir(folder)
const workflows = await Promise.all(
  names.map(async (name) => [name, v.parse(Workflow, parse(await readFile(join(folder, name), 'utf8')))] as const),
)
const steps = workflows.flatMap(([, { jobs }]) => Object.values(jobs).flatMap((job) => job.steps))

suite('workflows', () => {
  test('take every action by its full commit', () => {
    const used = steps.flatMap(({ uses }) => uses ?? [])
    assert.ok(used.length > 0)
    for (const action of used) assert.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
  })

  test('run scripts that are there', async () => {
    const { scripts } = v.parse(
      v.object({ scripts: v.record(v.string(), v.string()) }),
      JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')),
    )
    const text = steps.flatMap(({ run }) => run ?? []).join('\n')
    const called = [...text.matchAll(/pnpm@12 run (\S+)/g)].map(([, name]) => name ?? '')
    assert.deepEqual(
      called.filter((name) => !(name in scripts)),
      [],
    )
    for (const name of ['build', 'release:build', 'images']) assert.ok(called.includes(name), name)
    for (const [path] of text.matchAll(/^\.ci\/\S+/gm)) await access(join(checkout, path))
  })

  test('may read, but for the one job that publishes after the tests', () => {
    for (const [name, { permissions, jobs }] of workflows) {
      assert.ok(
        Object.values(permissions).every((power) => power === 'read'),
        name,
      )
      for (const [job, { permissions: own = {}, needs }] of Object.entries(jobs)) {
        const writes = Object.entries(own).filter(([, power]) => power === 'write')
        if (writes.length === 0) continue
        assert.deepEqual([name, job, needs], ['release.yml', 'publish', 'test'])
      }
    }
  })

  test('keep no token in the checkout, and put nothing that strangers choose into a command', () => {
    for (const { uses, with: given, run } of steps) {
      if (uses?.startsWith('actions/checkout@') === true) assert.equal(given?.['persist-credentials'], false)
      assert.doesNotMatch(run ?? '', /\$\{\{/)
    }
  })
})
