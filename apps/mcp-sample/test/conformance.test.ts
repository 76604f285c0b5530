// The official conformance suite against the sample server. What does not apply to it stands with its reason in the baseline
// beside this file; the whole of what the revision requires is run in the full profile.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Listening, startHttp, stop } from './program.ts'

const suite = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js')

let sample: Listening
let results: string
before(async () => {
  results = await mkdtemp(join(tmpdir(), 'gh-conformance-'))
  sample = await startHttp(':0')
})
after(async () => {
  await stop(sample.child)
  await rm(results, { recursive: true, force: true })
})

const run = (...args: string[]): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    const all = [suite, 'server', '--url', `${sample.url}/mcp`, '--output-dir', results, ...args]
    execFile(process.execPath, all, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, text: `${stdout}${stderr}` })
    })
  })

for (const scenario of ['server-initialize', 'tools-list', 'dns-rebinding-protection'])
  test(`the sample server passes ${scenario}`, async () => {
    const { text } = await run('--scenario', scenario, '--spec-version', '2025-11-25')
    assert.match(text, /Passed: ([1-9]\d*)\/\1, 0 failed/)
  })

if (process.env['GATEHOUSE_PROFILE'] === 'full')
  test('the sample server passes all that 2025-11-25 requires but for the baseline', { timeout: 300_000 }, async () => {
    const { code, text } = await run('--requirements', '2025-11-25', '--expected-failures', join(import.meta.dirname, 'conformance.yml'))
    assert.equal(code, 0, text)
  })
