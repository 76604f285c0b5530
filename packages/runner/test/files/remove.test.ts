// What an agent leaves in its workspace and memory, against the hand that removes it for people.
import assert from 'node:assert/strict'
import { lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { type AgentGroupID, filePlaces } from '@gatehouse/contracts'
import { findFile, removeFile } from '../../src/files/remove.ts'
import { closeHome, home, newGroup, openHome, planted, refused, remove, rootOf, secret, stateDir } from '../fixtures/left-files.ts'

before(openHome)
after(closeHome)

/** Everything in a directory, through no link: Node's own walk goes through them. */
const below = async (directory: string): Promise<string[]> => {
  const entries = await readdir(directory, { withFileTypes: true })
  const paths = entries.map(async (entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? [path, ...(await below(path))] : [path]
  })
  return (await Promise.all(paths)).flat().toSorted()
}

for (const place of filePlaces) {
  describe(`what an agent leaves in ${place}, when people remove it`, { timeout: 300_000 }, () => {
    for (const [what, plant] of Object.entries(planted)) {
      it(`goes by its name alone, and nothing that it leads to, where it is ${what}`, async (t: TestContext) => {
        const group = await newGroup()
        const root = rootOf(group, place)
        await plant(join(root, 'object'), t)
        const others = (await below(root)).filter((path) => path !== join(root, 'object'))
        const host = await readdir(home)
        for (const path of ['object/deep', 'object/secret']) await refused(remove(group, path, place), 'remove below')
        await remove(group, 'object', place)
        await assert.rejects(lstat(join(root, 'object')), { code: 'ENOENT' })
        assert.deepEqual(await below(root), others)
        assert.deepEqual(await readdir(home), host)
        assert.equal(await readFile(secret, 'utf8'), 'of the host')
        assert.equal(await refused(remove(group, 'object', place), 'remove again'), 'not-found')
      })
    }
  })
}

describe('what people remove', () => {
  it('is no directory that holds something, and is one that is empty', async () => {
    const group = await newGroup()
    const root = rootOf(group, 'workspace')
    await mkdir(join(root, 'd/e'), { recursive: true })
    const where = { agentGroupID: group, place: 'workspace', path: 'd' } as const
    assert.equal(await refused(findFile({ stateDir }, where), 'looked at'), 'conflict')
    // It was empty when it was looked at.
    assert.equal(await refused(removeFile({ stateDir }, { ...where, kind: 'directory' }), 'filled meanwhile'), 'conflict')
    for (const path of ['d/e', 'd']) await remove(group, path)
    assert.deepEqual(await readdir(root), [])
  })

  it('is nothing of another kind than was written down', async () => {
    const group = await newGroup()
    const root = rootOf(group, 'workspace')
    await writeFile(join(root, 'file'), '')
    await mkdir(join(root, 'directory'))
    await symlink(secret, join(root, 'link'))
    for (const path of ['file', 'directory', 'link'] as const)
      for (const kind of ['file', 'directory', 'link', 'pipe'] as const) {
        if (kind === path) continue
        const where = { agentGroupID: group, place: 'workspace', path, kind } as const
        assert.equal(await refused(removeFile({ stateDir }, where), `${path} as ${kind}`), 'conflict')
      }
    assert.deepEqual((await readdir(root)).toSorted(), ['directory', 'file', 'link'])
  })

  it('is not the place, nothing outside of it, and nothing of a group that never ran', async () => {
    const group = await newGroup()
    for (const path of ['', '.', '..', '../memory', '../shared', 'a/../../memory', '/etc/passwd', 'a//b', '../../../../secret'])
      await refused(remove(group, path), path)
    assert.deepEqual((await readdir(join(stateDir, 'groups', group))).toSorted(), ['memory', 'shared', 'workspace'])
    assert.equal(await refused(remove('never-ran' as AgentGroupID, 'x'), 'never ran'), 'not-found')
    assert.equal(await readFile(secret, 'utf8'), 'of the host')
  })

  /** Whether a file of the host outlives its removal through a directory that became a link after it was looked at. */
  const outlives = async (removeIt: (group: AgentGroupID, path: string) => Promise<unknown>): Promise<boolean> => {
    const group = await newGroup()
    const root = rootOf(group, 'workspace')
    const outside = join(home, `outside-${group}`)
    for (const directory of [outside, join(root, 'd')]) {
      await mkdir(directory)
      await writeFile(join(directory, 'file'), 'x')
    }
    await findFile({ stateDir }, { agentGroupID: group, place: 'workspace', path: 'd/file' })
    await rename(join(root, 'd'), join(root, 'moved'))
    await symlink(outside, join(root, 'd'))
    await removeIt(group, 'd/file').catch(() => undefined)
    return (await readdir(outside)).length === 1
  }

  it('is never reached through a link that came meanwhile, as it would be by its path', async () => {
    const byHandles = (agentGroupID: AgentGroupID, path: string) =>
      removeFile({ stateDir }, { agentGroupID, place: 'workspace', path, kind: 'file' })
    assert.equal(await outlives(byHandles), true)
    const byPath = (group: AgentGroupID, path: string) => rm(join(rootOf(group, 'workspace'), path))
    assert.equal(await outlives(byPath), false)
  })
})
