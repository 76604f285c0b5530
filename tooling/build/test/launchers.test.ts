// The two programs of a build for people who work in a checkout: `gatehouse ctl` is svcctl.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { execa } from 'execa'
import { dist } from '../src/targets.ts'

/** No unit answers there. */
const nowhere = 'http://127.0.0.1:9'

suite('gatehouse ctl', () => {
  let home: string
  const run = async (program: string, args: readonly string[]): Promise<readonly unknown[]> => {
    const { exitCode, stdout, stderr } = await execa(join(dist, 'bin', program), args, {
      reject: false,
      extendEnv: false,
      stdin: 'ignore',
      env: { PATH: '/usr/bin:/bin', HOME: home, SVCCTL_CACHE_DIR: join(home, 'cache'), SERVICE_API_URL: nowhere },
    })
    return [exitCode, stdout, stderr]
  }

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'gatehouse-ctl-'))
  })
  after(() => rm(home, { recursive: true, force: true }))

  for (const [what, line, code, says] of [
    ['the versions', 'version', 0, /^svcctl +\S+ \(Node [\d.]+\)\nunit +does not answer at http:\/\/127\.0\.0\.1:9,$/],
    ['a result as JSON', 'version --json', 0, /"unit": null/],
    ['a help page', 'change approve --help', 0, /\$ svcctl change approve \[ID\]/],
    ['a usage error', 'change aprove', 2, /Try: svcctl change approve/],
    ['a unit that does not answer', 'status', 9, /127\.0\.0\.1:9/],
  ] as const)
    test(`prints ${what} as svcctl does, and ends with the same code`, async () => {
      const [byName, byGatehouse] = [await run('svcctl', line.split(' ')), await run('gatehouse', ['ctl', ...line.split(' ')])]
      assert.deepEqual(byGatehouse, byName)
      assert.equal(byName[0], code)
      assert.match(byName.slice(1).join(), says)
    })
})
