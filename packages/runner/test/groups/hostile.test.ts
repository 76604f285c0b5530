// Whatever an agent leaves in its directories: no path of the host that reads there follows it, waits for it or takes it for a file.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { AgentGroupID } from '@gatehouse/contracts'
import { LaunchRefused } from '../../src/errors.ts'
import { groupDirectories } from '../../src/groups/directories.ts'
import { checkMounts } from '../../src/mounts.ts'
import { copyPlain, NotPlain, readPlain } from '../../src/safe-fs.ts'
import { objects } from '../fixtures/objects.ts'

const home = mkdtempSync('/tmp/gh-hostile-')
const secret = join(home, 'secret')
const planted = objects({ home, secret })
before(() => writeFile(secret, 'of the host'))
after(() => rm(home, { recursive: true, force: true }))

/** What takes the place of a directory of the host's own. */
const inPlace: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  link: (path) => symlink(home, path),
  file: (path) => writeFile(path, ''),
  pipe: async (path) => execFileSync('mkfifo', [path]),
}

const work = async (name: string): Promise<string> => {
  const directory = join(home, 'work', name.replaceAll(/[^a-z]/g, '-'))
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  return directory
}

describe('what an agent leaves behind', { timeout: 300_000 }, () => {
  for (const [what, plant] of Object.entries(planted)) {
    it(`is not read where it is ${what}`, async (t) => {
      const directory = await work(what)
      await plant(join(directory, 'outcome.json'), t)
      await assert.rejects(readPlain(directory, ['outcome.json'], 1024), NotPlain)
      await assert.rejects(readPlain(directory, ['outcome.json', 'deep'], 1024), NotPlain)
    })

    it(`is not copied where it is ${what}`, async (t) => {
      const directory = await work(`copy ${what}`)
      await plant(join(directory, 'object'), t)
      const to = await work(`to ${what}`)
      const copied = copyPlain(directory, [], { to, allowance: { files: 20, bytes: 1024 } })
      if (what === 'a directory in place of a file') await copied
      else await assert.rejects(copied, NotPlain)
      // Nothing of the host and nothing but plain entries came along.
      for (const entry of await readdir(to, { withFileTypes: true, recursive: true }))
        assert.ok(entry.isFile() || entry.isDirectory(), entry.name)
    })

    it(`is not mounted in place of what was approved where it is ${what}`, async (t) => {
      const directory = await work(`mount ${what}`)
      const source = join(directory, 'data')
      await plant(source, t)
      const mount = { source, target: '/mnt/data', mode: 'ro', device: '1', inode: '1' } as const
      await assert.rejects(checkMounts([mount], [directory]), LaunchRefused)
    })
  }

  it('is no name that leads elsewhere', async () => {
    const directory = await work('names')
    for (const name of ['..', '.', '', 'a/b', '../secret', '/etc/passwd'])
      await assert.rejects(readPlain(directory, [name], 1024), NotPlain)
  })

  it('is no more than may be copied', async () => {
    const directory = await work('many')
    for (let index = 0; index < 5; index += 1) await writeFile(join(directory, String(index)), 'x')
    await assert.rejects(copyPlain(directory, [], { to: await work('few'), allowance: { files: 4, bytes: 1024 } }), NotPlain)
    await assert.rejects(copyPlain(directory, [], { to: await work('less'), allowance: { files: 9, bytes: 4 } }), NotPlain)
  })

  it('is read where it is a plain file, and copied with its directories', async () => {
    const directory = await work('plain')
    await mkdir(join(directory, 'a/b'), { recursive: true })
    await writeFile(join(directory, 'a/b/c'), 'text')
    await chmod(join(directory, 'a/b/c'), 0o4755)
    assert.equal((await readPlain(directory, ['a', 'b', 'c'], 1024)).toString(), 'text')
    const to = await work('copy')
    await copyPlain(directory, [], { to, allowance: { files: 9, bytes: 1024 } })
    assert.equal((await readPlain(to, ['a', 'b', 'c'], 1024)).toString(), 'text')
  })

  it(
    'goes to the owner of its group with all that is below, and nothing that a link leads to',
    { skip: process.geteuid?.() !== 0 && 'needs root: for other owners' },
    async () => {
      const state = await mkdtemp(join(home, 'state-'))
      const [group, owner] = ['g' as AgentGroupID, { uid: 700_001, gid: 700_001 }]
      const { workspace } = await groupDirectories(state, group, undefined)
      await mkdir(join(workspace, 'a/b'), { recursive: true })
      await writeFile(join(workspace, 'a/b/c'), '')
      await symlink(secret, join(workspace, 'a/link'))
      await symlink(home, join(workspace, 'directory'))
      await groupDirectories(state, group, owner)
      for (const name of ['', 'a', 'a/b', 'a/b/c', 'a/link', 'directory'])
        assert.equal((await lstat(join(workspace, name))).uid, owner.uid, name)
      assert.deepEqual([(await stat(secret)).uid, (await stat(home)).uid], [0, 0])
      // A session with a gid of its own, while another may run.
      await groupDirectories(state, group, { uid: owner.uid, gid: 700_002 })
      assert.deepEqual([(await lstat(workspace)).gid, (await lstat(join(workspace, 'a'))).gid], [700_002, 700_001])
    },
  )

  for (const name of ['workspace', 'memory', 'shared']) {
    it(`in place of the directory ${name} itself keeps its group from being launched`, async () => {
      const state = await mkdtemp(join(home, 'state-'))
      const group = 'g' as AgentGroupID
      await groupDirectories(state, group, undefined)
      for (const [what, plant] of Object.entries(inPlace)) {
        const path = `${state}/groups/${group}/${name}`
        await rm(path, { recursive: true, force: true })
        await plant(path)
        await assert.rejects(groupDirectories(state, group, undefined), LaunchRefused, what)
      }
    })
  }
})
