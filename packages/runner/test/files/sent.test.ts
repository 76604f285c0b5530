// Files that an agent sends: as they were when it sent them, whole or not at all, whatever it leaves at their paths.
import assert from 'node:assert/strict'
import { appendFile, mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { type AgentGroupID, filePlaces, isServiceError, limits } from '@gatehouse/contracts'
import { weakenedCopy, type Weakening } from '@gatehouse/testkit/weakened-copy'
import { withSentFiles } from '../../src/files/read.ts'
import type { Attached } from '../../src/queue/copies.ts'
import { closeHome, newGroup, openHome, planted, refused, rootOf, secret, stateDir } from '../fixtures/left-files.ts'

before(openHome)
after(closeHome)

const gather = async (files: readonly Attached[]): Promise<Buffer[]> => {
  const all: Buffer[] = []
  for (const { pieces } of files) {
    const own: Buffer[] = []
    for await (const piece of pieces()) own.push(piece)
    all.push(Buffer.concat(own))
  }
  return all
}

const take = (agentGroupID: AgentGroupID, ...paths: string[]): Promise<Buffer[]> => withSentFiles({ stateDir, agentGroupID, paths }, gather)

for (const place of filePlaces) {
  describe(`a file that is sent from ${place}`, { timeout: 300_000 }, () => {
    for (const [what, plant] of Object.entries(planted)) {
      it(`is refused by a name where it is ${what}`, async (t) => {
        const group = await newGroup()
        const object = join(rootOf(group, place), 'object')
        await plant(object, t)
        await writeFile(join(rootOf(group, place), 'plain'), 'x')
        await refused(take(group, `/${place}/plain`, `/${place}/object`), 'the object')
        await refused(take(group, `/${place}/object/deep`), 'below the object')
        assert.equal(await readFile(secret, 'utf8'), 'of the host')
      })
    }

    it('is read whole, in pieces, in the order of the names', async () => {
      const group = await newGroup()
      const root = rootOf(group, place)
      await mkdir(join(root, 'out'))
      const large = Buffer.concat([Buffer.alloc(limits.filePart, 1), Buffer.from('the rest')])
      await writeFile(join(root, 'out/large'), large)
      await writeFile(join(root, 'empty'), '')
      assert.deepEqual(await take(group, `/${place}/out/large`, `/${place}/empty`), [large, Buffer.alloc(0)])
    })
  })
}

describe('a message with files', () => {
  it('that are too many bytes together, or missing, says which of them and what may be done', async () => {
    const group = await newGroup()
    const root = rootOf(group, 'workspace')
    for (const name of ['a', 'b', 'c']) {
      await writeFile(join(root, name), '')
      await truncate(join(root, name), 7 * 1024 * 1024)
    }
    const paths = ['a', 'b', 'c'].map((name) => `/workspace/${name}`)
    assert.equal(await refused(take(group, ...paths), 'too much'), 'too-large')
    const error: unknown = await take(group, '/workspace/a', '/workspace/missing').catch((thrown: unknown) => thrown)
    assert.ok(isServiceError(error))
    assert.deepEqual([error.code, error.errors?.map(({ pointer }) => pointer)], ['not-found', ['/files/1']])
    assert.match(error.hint ?? '', /nothing was sent/)
    assert.doesNotMatch(JSON.stringify([error.detail, error.hint, error.errors]), new RegExp(stateDir))
  })

  it('is not taken where one of them changes while it is read, in every way that an agent has', async () => {
    const ways: Readonly<Record<string, (path: string) => Promise<void>>> = {
      'is written on': (path) => appendFile(path, 'more'),
      'is cut': (path) => truncate(path, 3),
      'is written over': async (path) => writeFile(path, Buffer.alloc(2 * limits.filePart, 9)),
      'is gone': (path) => rm(path),
    }
    for (const [what, change] of Object.entries(ways)) {
      const group = await newGroup()
      const path = join(rootOf(group, 'workspace'), 'a')
      await writeFile(path, Buffer.alloc(2 * limits.filePart, 1))
      const taking = withSentFiles({ stateDir, agentGroupID: group, paths: ['/workspace/a'] }, async (files) => {
        await change(path)
        return gather(files)
      })
      assert.equal(await refused(taking, what), 'conflict', what)
    }
  })

  it('has the very file that was looked at where another takes its name', async () => {
    const group = await newGroup()
    const root = rootOf(group, 'workspace')
    await mkdir(join(root, 'd'))
    await writeFile(join(root, 'd/a'), 'as it was')
    const swapped = await withSentFiles({ stateDir, agentGroupID: group, paths: ['/workspace/d/a'] }, async (files) => {
      await rename(join(root, 'd'), join(root, 'gone'))
      await symlink(dirname(secret), join(root, 'd'))
      return gather(files)
    })
    assert.deepEqual(swapped, [Buffer.from('as it was')])
  })

  it('leads nowhere else while its path is exchanged for a link again and again', async (t) => {
    const group = await newGroup()
    const root = rootOf(group, 'workspace')
    await mkdir(join(root, 'real'))
    await writeFile(join(root, 'real/secret'), 'of the agent')
    const over = new AbortController()
    const exchanging = (async () => {
      while (!over.signal.aborted) {
        await symlink(dirname(secret), join(root, 'd'))
        await rm(join(root, 'd'))
        await rename(join(root, 'real'), join(root, 'd'))
        await rename(join(root, 'd'), join(root, 'real'))
      }
    })()
    let [taken, refusedTimes] = [0, 0]
    for (let index = 0; index < 150; index += 1) {
      try {
        assert.deepEqual(await take(group, '/workspace/d/secret'), [Buffer.from('of the agent')])
        taken += 1
      } catch (error) {
        assert.ok(isServiceError(error), String(error))
        refusedTimes += 1
      }
    }
    over.abort()
    await exchanging
    t.diagnostic(`${taken} taken, ${refusedTimes} refused`)
  })
})

describe('without its walls', () => {
  const weakened = async (t: TestContext, weakening: Weakening): Promise<typeof withSentFiles> => {
    const { directory, load } = await weakenedCopy(join(import.meta.dirname, '../..'), weakening)
    t.after(() => rm(directory, { recursive: true }))
    return ((await load('files/read.ts')) as { withSentFiles: typeof withSentFiles }).withSentFiles
  }

  it('a reader that follows links gives away what is the host’s', async (t) => {
    const group = await newGroup()
    await symlink(secret, join(rootOf(group, 'workspace'), 'object'))
    await refused(take(group, '/workspace/object'), 'the link')
    const weak = await weakened(t, { file: 'safe-fs.ts', from: 'pathOnly | constants.O_NOFOLLOW', to: 'pathOnly' })
    const given = await weak({ stateDir, agentGroupID: group, paths: ['/workspace/object'] }, gather)
    assert.deepEqual(given, [Buffer.from('of the host')])
  })

  it('a reader that looks once sends what never was one file', async (t) => {
    const group = await newGroup()
    const path = join(rootOf(group, 'workspace'), 'a')
    const change = async (files: readonly Attached[]): Promise<Buffer> => {
      const pieces: Buffer[] = []
      for await (const piece of files[0]?.pieces() ?? []) {
        pieces.push(piece)
        await writeFile(path, Buffer.alloc(2 * limits.filePart, 2))
      }
      return Buffer.concat(pieces)
    }
    await writeFile(path, Buffer.alloc(2 * limits.filePart, 1))
    const sending = { stateDir, agentGroupID: group, paths: ['/workspace/a'] }
    assert.equal(await refused(withSentFiles(sending, change), 'the file'), 'conflict')
    await writeFile(path, Buffer.alloc(2 * limits.filePart, 1))
    const weak = await weakened(t, { file: 'files/read.ts', from: 'tagOf(await file.stat({ bigint: true })) !== tag', to: `tag === ''` })
    const torn = await weak(sending, change)
    assert.deepEqual([torn[0], torn.at(-1)], [1, 2])
  })
})
