// The workflows: what they run exists here, what they take from others is named by its content, and they may do no more than they must.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { execa } from 'execa'
import * as v from 'valibot'
import { parse } from 'yaml'
import { checkout } from './made.ts'

const Permissions = v.record(v.string(), v.picklist(['read', 'write', 'none']))
const Job = v.looseObject({
  permissions: v.optional(Permissions),
  needs: v.optional(v.string()),
  outputs: v.optional(v.record(v.string(), v.string())),
  'timeout-minutes': v.number(),
  container: v.optional(v.looseObject({ image: v.string() })),
  steps: v.array(
    v.looseObject({
      name: v.optional(v.string()),
      uses: v.optional(v.string()),
      run: v.optional(v.string()),
      with: v.optional(v.record(v.string(), v.unknown())),
      env: v.optional(v.record(v.string(), v.unknown())),
    }),
  ),
})
const Workflow = v.looseObject({ permissions: Permissions, jobs: v.record(v.string(), Job) })

/** In the place of the real one: it takes a layout of one entry, and answers with that entry's digest, as the real one does. */
const crane = `#!/usr/bin/env node
const { readFileSync } = require('node:fs')
const [act, ...words] = process.argv.slice(2)
if (act === 'push') {
  const [layout, name] = words
  const { manifests } = JSON.parse(readFileSync(layout + '/index.json', 'utf8'))
  if (words.length !== 2 || manifests.length !== 1) throw new Error('expected a layout with one entry, got ' + words.join(' '))
  console.log(name.replace(/:[^:/]*$/, '') + '@' + manifests[0].digest)
}
`
const cosign = `#!/bin/sh
echo "$*" >>"$SIGNED"
while [ $# -gt 1 ]; do [ "$1" != --output-key-prefix ] || : >"$2.key"; shift; done
`

const folder = join(checkout, '.github/workflows')
const names = await readdir(folder)
const workflows = await Promise.all(
  names.map(async (name) => [name, v.parse(Workflow, parse(await readFile(join(folder, name), 'utf8')))] as const),
)
const release = new Map(workflows).get('release.yml')?.jobs ?? {}
const scriptOf = (job: string, says: RegExp): string => release[job]?.steps.find(({ name }) => says.test(name ?? ''))?.run ?? ''
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
    const called = [...text.matchAll(/pnpm@[\d.]+ run (\S+)/g)].map(([, name]) => name ?? '')
    assert.deepEqual(
      called.filter((name) => !(name in scripts)),
      [],
    )
    for (const name of ['build', 'release:build', 'images']) assert.ok(called.includes(name), name)
    for (const [path] of text.matchAll(/^\.ci\/\S+/gm)) await access(join(checkout, path))
  })

  test('may read, but for the one job that publishes what was built after the tests', () => {
    assert.equal(release['build']?.needs, 'test')
    for (const [name, { permissions, jobs }] of workflows) {
      assert.ok(
        Object.values(permissions).every((power) => power === 'read'),
        name,
      )
      for (const [job, { permissions: own = {}, needs }] of Object.entries(jobs)) {
        const writes = Object.entries(own).filter(([, power]) => power === 'write')
        if (writes.length === 0) continue
        assert.deepEqual([name, job, needs], ['release.yml', 'publish', 'build'])
      }
    }
  })

  test('run no code of a package where they may write, nor know a secret where such code runs', () => {
    const programs = /\b(npx|npm|pnpm|yarn|corepack|node|make|sh|python3?)\b|(^|\s)\.{0,2}\/\S/m
    const actions = ['actions/checkout', 'actions/download-artifact', 'actions/attest-build-provenance']
    for (const [, { jobs }] of workflows) {
      for (const [job, { permissions: own = {}, steps: all, ...rest }] of Object.entries(jobs)) {
        if (!Object.values(own).includes('write')) {
          assert.doesNotMatch(JSON.stringify([rest, all]), /secrets\.|github\.token/, job)
          continue
        }
        for (const { run = '', uses } of all) {
          assert.doesNotMatch(run, programs, job)
          if (uses !== undefined) assert.ok(actions.includes(uses.split('@')[0] ?? ''), uses)
        }
      }
    }
  })

  test('hand over what was built by its digest, and take no link and nothing altered', async () => {
    assert.match(release['build']?.outputs?.['digest'] ?? '', /steps\.pack\.outputs\.digest/)
    const taking = release['publish']?.steps.find(({ env }) => env?.['DIGEST'] !== undefined)
    assert.equal(taking?.env?.['DIGEST'], '${{ needs.build.outputs.digest }}')
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-handed-'))
    const bash = (script: string, cwd: string, env: Record<string, string>) =>
      execa('bash', ['-ec', script], { cwd, env, reject: false, timeout: 60_000 })
    const handed = async (alter: (made: string) => Promise<void>): Promise<number | undefined> => {
      const [made, taken] = [await mkdtemp(join(folder, 'made-')), await mkdtemp(join(folder, 'taken-'))]
      const output = join(made, 'output')
      for (const name of ['release', 'layouts/stack']) await mkdir(join(made, name), { recursive: true })
      await writeFile(join(made, 'release/install.sh'), 'text')
      await writeFile(join(made, 'release/SHA256SUMS'), `${createHash('sha256').update('text').digest('hex')}  install.sh\n`)
      await alter(made)
      assert.equal((await bash(scriptOf('build', /^Pack/), made, { GITHUB_OUTPUT: output })).exitCode, 0)
      const digest = /^digest=(\w{64})$/m.exec(await readFile(output, 'utf8'))?.[1] ?? ''
      const tar = await readFile(join(made, 'made.tar'))
      const changed = await readFile(join(made, 'on-the-way')).catch(() => Buffer.alloc(0))
      await writeFile(join(taken, 'made.tar'), Buffer.concat([tar, changed]))
      const { exitCode } = await bash(scriptOf('publish', /^Take/), taken, { DIGEST: digest })
      return exitCode
    }
    try {
      assert.equal(await handed(() => Promise.resolve()), 0)
      assert.notEqual(await handed((made) => writeFile(join(made, 'on-the-way'), 'x')), 0)
      assert.notEqual(await handed((made) => symlink('/proc/self/environ', join(made, 'release/link'))), 0)
      assert.notEqual(await handed((made) => symlink('/', join(made, 'layouts/stack/link'))), 0)
      assert.notEqual(await handed((made) => writeFile(join(made, 'release/install.sh'), 'other')), 0)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('push and sign each image that the build makes, by the digest that the build prints, with its list of parts', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pushed-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const make = join(checkout, 'tooling/images/src/main.ts')
    const { stdout } = await execa(process.execPath, [make, '--out', join(folder, 'layouts')], { timeout: 240_000 })
    const printed = [...stdout.matchAll(/^(\S+) {2}\S+ {2}(sha256:\w{64})$/gm)].map(([, name = '', digest = '']) => [name, digest] as const)
    assert.deepEqual(printed.map(([name]) => name).toSorted(), ['control-plane', 'sandbox'])
    for (const name of ['bin', 'release']) await mkdir(join(folder, name))
    await writeFile(join(folder, 'bin/crane'), crane, { mode: 0o755 })
    await writeFile(join(folder, 'bin/cosign'), cosign, { mode: 0o755 })
    const [output, signed] = [join(folder, 'output'), join(folder, 'signed')]
    const env = {
      PATH: `${join(folder, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin`,
      IMAGES: 'ghcr.io/Somebody/Gatehouse',
      TAG: 'v1.2.3',
      TOKEN: 'token',
      ACTOR: 'somebody',
      RELEASE_KEY: 'a key',
      GITHUB_OUTPUT: output,
      SIGNED: signed,
    }
    const options = { cwd: folder, env, extendEnv: false, timeout: 60_000 }
    await execa('bash', ['-eo', 'pipefail', '-c', scriptOf('publish', /^Push/)], options)
    const named = printed.map(([name, digest]) => `ghcr.io/somebody/gatehouse/${name}@${digest}`)
    assert.deepEqual((await readFile(join(folder, 'release/IMAGES'), 'utf8')).trim().split('\n'), named)
    const calls = (await readFile(signed, 'utf8')).trim().split('\n')
    for (const image of named) {
      assert.ok(calls.includes(`sign --yes ${image}`), calls.join('\n'))
      assert.ok(
        calls.some((call) => /^sign --yes --key \S+\/release\.key /.test(call) && call.endsWith(image)),
        calls.join('\n'),
      )
    }
    const outputs = await readFile(output, 'utf8')
    for (const [name, digest] of printed) assert.match(outputs, new RegExp(`^${name}=${digest}$`, 'm'))
    const parts = (await readdir(join(folder, 'release'))).filter((name) => name.endsWith('.cdx.json'))
    assert.deepEqual(parts.map((name) => name.replace(/-\w+\.cdx\.json$/, '')).toSorted(), ['image-control-plane', 'image-sandbox'])
  })

  test('say where each image that is pushed was built', () => {
    const attested = (release['publish']?.steps ?? []).flatMap(({ uses, with: given }) =>
      uses?.startsWith('actions/attest-build-provenance@') === true ? [given?.['subject-digest'] ?? given?.['subject-checksums']] : [],
    )
    const images = ['control-plane', 'sandbox'].map((name) => `\${{ steps.images.outputs.${name} }}`)
    assert.deepEqual(attested, ['release/SHA256SUMS', ...images])
  })

  test('build on the system that the tests ran on', () => {
    assert.deepEqual(release['build']?.container?.image, release['test']?.container?.image)
    assert.ok(release['build']?.container)
  })

  test('keep no token in the checkout, and put nothing that strangers choose into a command', () => {
    for (const { uses, with: given, run } of steps) {
      if (uses?.startsWith('actions/checkout@') === true) assert.equal(given?.['persist-credentials'], false)
      assert.doesNotMatch(run ?? '', /\$\{\{/)
    }
  })
})
