// The official conformance suite against the broker as a client, in both eras. What it is not asked stands with its reason in
// the baseline beside this file; the full profile runs every other scenario, one after the other.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

const root = join(import.meta.dirname, '../../../..')
const suite = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')
const command = `${process.execPath} ${join(import.meta.dirname, '../fixtures/conformance-client.ts')}`
const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'

let results: string
before(async () => {
  results = await mkdtemp(join(tmpdir(), 'gh-conformance-'))
})
after(() => rm(results, { recursive: true, force: true }))

const baseline = join(import.meta.dirname, 'conformance.yml')

/** A scenario and why it is not run. */
const exception = (line: string): [string, string][] => {
  const [, scenario, reason] = /^ {2}- (\S+) # (.+)$/.exec(line) ?? []
  return scenario === undefined || reason === undefined ? [] : [[scenario, reason]]
}

const start = (...args: string[]): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [suite, ...args], { cwd: root, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, text: `${stdout}${stderr}` })
    })
  })

const always = [
  'sse-retry 2025-11-25',
  'request-metadata 2026-07-28',
  'http-custom-headers 2026-07-28',
  'http-invalid-tool-headers 2026-07-28',
]
const more = [
  'initialize 2025-06-18',
  'initialize 2025-11-25',
  'tools_call 2025-06-18',
  'tools_call 2025-11-25',
  'tools_call 2026-07-28',
  'http-standard-headers 2026-07-28',
  'json-schema-ref-no-deref 2026-07-28',
  'json-schema-2020-12-preservation 2025-11-25',
  'json-schema-2020-12-preservation 2026-07-28',
]

const scenarioOf = (each: string): string[] => {
  const [scenario = '', version = ''] = each.split(' ')
  return ['--scenario', scenario, '--spec-version', version]
}

for (const each of isFull ? [...always, ...more] : always)
  test(`the broker passes ${each}`, async () => {
    const { code, text } = await start('client', '--command', command, '--timeout', '60000', '--output-dir', results, ...scenarioOf(each))
    assert.equal(code, 0, text)
    assert.match(text, /Passed: ([1-9]\d*)\/\1, 0 failed/)
  })

for (const revision of ['2025-11-25', '2026-07-28'])
  test(`every scenario that ${revision} requires of a client is run here or excepted for a reason`, async () => {
    const { text } = await start('list', '--requirements', revision)
    const [, clients = ''] = /Client scenarios[^\n]*\n((?: {2}- [^\n]*\n)+)/.exec(text) ?? []
    const required = clients.split('\n').flatMap((line) => line.match(/[^\s-]\S*/)?.[0] ?? [])
    assert.ok(required.length > 10, text)
    const excepted = new Map((await readFile(baseline, 'utf8')).split('\n').flatMap((line) => exception(line)))
    const run = new Set([...always, ...more].map((each) => each.split(' ')[0]))
    assert.deepEqual(
      required.filter((scenario) => !run.has(scenario) && (excepted.get(scenario) ?? '') === ''),
      [],
    )
  })
