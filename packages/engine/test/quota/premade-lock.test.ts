// The disks in a directory belong to one unit only, from its detection of them until its end.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { prepareDisks } from '../../src/detect-disks.ts'
import { isMounted } from '../../src/disks/disk.ts'
import { launchProgram } from '../../src/launch.ts'
import { lacking, type Made, makeDisks } from '../fixtures/premade.ts'

if (lacking !== '' && process.env['CI'] === 'true') throw new Error(lacking)

const startOther = async (t: TestContext, { home, disks }: Made) => {
  const groups = join(home, 'others')
  await mkdir(groups, { recursive: true })
  const program = join(import.meta.dirname, '../fixtures/holds-disks.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', program, groups, disks], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const [said] = await once(child.stdout, 'data')
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { said: String(said), end }
}

describe('the disks of a unit', { skip: lacking === '' ? false : lacking, timeout: 120_000 }, () => {
  it('are refused to another one as long as the first one is there, untouched and with what to do', async (t) => {
    const made = await makeDisks(['16-trial', '16-01'])
    t.after(made.remove)
    const other = await startOther(t, made)
    assert.equal(other.said, 'held')
    await writeFile(`${made.disks}/16-trial/in-use`, '')
    const found = await prepareDisks(made.groups, made.disks)
    assert.ok('refused' in found && found.again !== undefined)
    assert.match(
      found.refused,
      /another unit uses the disks in \/.*\/disks: stop that unit, or gatehouse setup .*--disks-dir DIRECTORY creates disks for this unit/,
    )
    assert.equal(await isMounted(made.groups), false)
    await assert.doesNotReject(writeFile(`${made.disks}/16-trial/in-use`, '', { flag: 'r+' }))
    // However it ends.
    await other.end()
    assert.ok('premade' in (await found.again()))
  })

  it('stay its own when it looks for them again, also after the one for trials was mounted anew', async (t) => {
    const made = await makeDisks(['16-trial', '16-01'])
    t.after(made.remove)
    for (let times = 0; times < 2; times += 1) assert.ok('premade' in (await prepareDisks(made.groups, made.disks)))
    assert.match((await startOther(t, made)).said, /another unit uses the disks/)
    const trial = made.disk('16-trial')
    await made.maker.unmount(trial)
    await made.maker.removeImage(trial)
    await made.maker.make(trial, { uid: 0, gid: 0 })
    await made.maker.mount(trial)
    assert.ok('premade' in (await prepareDisks(made.groups, made.disks)))
    assert.match((await startOther(t, made)).said, /another unit uses the disks/)
  })

  it('are not locked by the programs that it launches', async (t) => {
    const made = await makeDisks(['16-trial'])
    t.after(made.remove)
    assert.ok('premade' in (await prepareDisks(made.groups, made.disks)))
    const script = `const fs = require('node:fs')
      for (const n of fs.readdirSync('/proc/self/fd')) try { console.log(n + ' -> ' + fs.readlinkSync('/proc/self/fd/' + n)) } catch {}`
    const launched = await launchProgram({ file: process.execPath, args: ['-e', script], env: {} })
    const lines: string[] = []
    for await (const line of launched.output) lines.push(line)
    assert.ok(lines.length > 0)
    assert.doesNotMatch(lines.join('\n'), /16-trial/)
  })
})
