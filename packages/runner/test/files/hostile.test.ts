// What an agent leaves in its workspace and memory, against the reader that people list, fetch and put files by.
import assert from 'node:assert/strict'
import { chmod, link, lstat, mkdir, readdir, readFile, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { filePlaces, isServiceError, limits } from '@gatehouse/contracts'
import { usageIn } from '../../src/files/count.ts'
import { listFiles } from '../../src/files/list.ts'
import { putFile } from '../../src/files/put.ts'
import { readFilePart } from '../../src/files/read.ts'
import {
  closeHome,
  fetch,
  home,
  list,
  newGroup,
  openHome,
  planted,
  put,
  refused,
  remove,
  rootOf,
  secret,
  stateDir,
  uploads,
} from '../fixtures/left-files.ts'

before(openHome)
after(closeHome)

for (const place of filePlaces) {
  describe(`what an agent leaves in ${place}`, { timeout: 300_000 }, () => {
    for (const [what, plant] of Object.entries(planted)) {
      it(`is listed as it is, not fetched, not written through, where it is ${what}`, async (t: TestContext) => {
        const group = await newGroup()
        const root = rootOf(group, place)
        await plant(join(root, 'object'), t)
        const before = await lstat(join(root, 'object'))
        const item = (await list(group, '', place)).items.find(({ name }) => name === 'object')
        assert.equal(item?.readable, before.isDirectory())
        await refused(fetch(group, 'object', place), 'fetch')
        await refused(fetch(group, 'object/deep', place), 'fetch below')
        if (!before.isDirectory()) {
          await refused(list(group, 'object', place), 'list')
          await refused(put(group, 'object/deep/new', place), 'put below')
        }
        // A plain file may be written over, whatever other names it has and however large it is.
        if (before.isFile()) await put(group, 'object', place)
        else await refused(put(group, 'object', place), 'put')
        const kind = await lstat(join(root, 'object'))
        assert.equal(before.isFile() ? kind.size : kind.ino, before.isFile() ? 11 : before.ino)
        assert.equal(await readFile(secret, 'utf8'), 'of the host')
        assert.deepEqual(
          (await readdir(root)).filter((name) => name.endsWith('.part')),
          [],
        )
      })
    }
  })
}

describe('a name that an agent chose', () => {
  const names = [
    '\u001b[2J\u001b]0;owned\u0007',
    'line\nend\ttab',
    '\u202egnp.exe',
    '-rf',
    '...',
    '%2e%2e%2fetc',
    'back\\slash',
    ' ',
    'é'.repeat(127),
    '.hidden',
    'a\u0000b'.replace('\u0000', '\u200b'),
  ]

  it('is listed and fetched as it is, and by people not given anew where it hides something', async () => {
    const group = await newGroup()
    for (const name of names) await writeFile(join(rootOf(group, 'workspace'), name), name)
    const { items } = await list(group)
    assert.deepEqual(items.map(({ name }) => name).toSorted(), names.toSorted())
    assert.ok(items.every(({ readable }) => readable))
    for (const name of names) assert.equal(await fetch(group, name), name)
    for (const name of names) await remove(group, name)
    assert.deepEqual((await list(group)).items, [])
  })

  it('that is no text is shown, and cannot be asked for', async () => {
    const group = await newGroup()
    await writeFile(Buffer.concat([Buffer.from(`${rootOf(group, 'workspace')}/`), Buffer.from([0xff, 0xfe, 0x41])]), 'x')
    const { items } = await list(group)
    assert.deepEqual(
      items.map(({ name, readable }) => [name, readable]),
      [['\ufffd\ufffdA', false]],
    )
    await refused(fetch(group, '\ufffd\ufffdA'), 'fetch')
  })

  it('leads nowhere else', async () => {
    const group = await newGroup()
    for (const path of ['../secret', '..', '.', 'a/../../../secret', '/etc/passwd', 'a//b']) await refused(fetch(group, path), path)
    for (const path of ['../new', 'a/../../new', '..']) await refused(put(group, path), path)
    assert.deepEqual((await readdir(join(stateDir, 'groups', group))).toSorted(), ['memory', 'shared', 'workspace'])
  })
})

describe('times, holes and crowds', () => {
  it('of no form are shown as times that exist', async () => {
    const group = await newGroup()
    const root = rootOf(group, 'workspace')
    for (const [name, seconds] of [
      ['late', 4e11],
      ['early', -1e10],
    ] as const) {
      await writeFile(join(root, name), '')
      await utimes(join(root, name), seconds, seconds)
    }
    for (const { modifiedAt } of (await list(group)).items) assert.ok(Number.isFinite(Date.parse(modifiedAt)), modifiedAt)
  })

  it('of a sparse file within the limit are read as nothing', async () => {
    const group = await newGroup()
    await writeFile(join(rootOf(group, 'workspace'), 'holes'), '')
    await truncate(join(rootOf(group, 'workspace'), 'holes'), limits.file)
    assert.equal(await fetch(group, 'holes'), '\0'.repeat(limits.filePart))
    await put(group, 'beside')
  })

  it('come in pages, in the order of their bytes, each name once', async () => {
    const group = await newGroup()
    const root = rootOf(group, 'workspace')
    const many = process.env['GATEHOUSE_PROFILE'] === 'full' ? limits.fileEntries + 50 : 3_000
    for (let index = 0; index < many; index += 500)
      await Promise.all(Array.from({ length: Math.min(500, many - index) }, (_, step) => writeFile(join(root, `n${index + step}`), '')))
    let [cursor, names]: [string | undefined, string[]] = [undefined, []]
    let truncated = false
    do {
      const page = await listFiles({ stateDir }, { agentGroupID: group, place: 'workspace', path: '', limit: 20_000, after: cursor })
      names = [...names, ...page.items.map(({ name }) => name)]
      truncated = page.truncated === true
      cursor = page.nextCursor
    } while (cursor !== undefined)
    assert.equal(new Set(names).size, Math.min(many, limits.fileEntries))
    assert.deepEqual(names, names.toSorted())
    assert.equal(truncated, many > limits.fileEntries)
    if (truncated) await refused(put(group, 'one-more'), 'put')
  })

  it('beyond what the group may hold are refused, and what is there stays', async () => {
    const group = await newGroup()
    const root = rootOf(group, 'workspace')
    await writeFile(join(root, 'large'), Buffer.alloc(2 * 1024 * 1024))
    const id = await uploads.begin({ agentGroupID: group, place: 'workspace', path: 'new' })
    await uploads.add(id, Buffer.from('x'))
    await assert.rejects(putFile(uploads.take(id), { root, owner: undefined, most: 1 }), { code: 'too-large' })
    await uploads.drop(id)
    assert.deepEqual(await readdir(root), ['large'])
  })
})

describe('directories inside one another', { timeout: 60_000 }, () => {
  it('are counted one step at a time to a bound, beyond which nothing is put', async () => {
    const group = await newGroup()
    const root = rootOf(group, 'workspace')
    for (let chain = 0; chain < 2; chain += 1) await mkdir(join(root, `c${chain}`, 'd/'.repeat(100)), { recursive: true })
    assert.deepEqual({ ...(await usageIn(root)), bytes: 0 }, { bytes: 0, entries: 2 * 101 })
    await put(group, 'beside')
    await mkdir(join(root, 'deep', 'd/'.repeat(300)), { recursive: true })
    await assert.rejects(put(group, 'more'), { code: 'too-large', message: /directories more than 256 deep/ })
  })

  it('are counted for so long and no longer', async (t: TestContext) => {
    const bounds: { fileCountTime: number } = limits
    t.mock.property(bounds, 'fileCountTime', -1)
    const group = await newGroup()
    await mkdir(join(rootOf(group, 'workspace'), 'd'))
    await assert.rejects(put(group, 'more'), { code: 'too-large', message: /more than can be counted/ })
  })
})

describe('what is exchanged while it is read', () => {
  const exchanges: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
    'another file in its place': async (file) => {
      await writeFile(`${file}.new`, 'other')
      await rename(`${file}.new`, file)
    },
    'a link in its place': async (file) => {
      await rm(file)
      await symlink(secret, file)
    },
    'more at its end': (file) => writeFile(file, 'and more', { flag: 'a' }),
    'less of it': (file) => truncate(file, 3),
    'other bytes of the same number': (file) => writeFile(file, 'y'.repeat(9)),
    'a second name': (file) => link(file, `${file}.second`),
    'another mode': (file) => chmod(file, 0o640),
    'its directory for a link': async (file) => {
      await rename(join(file, '..'), join(file, '../../moved'))
      await symlink(home, join(file, '..'))
    },
    nothing: (file) => rm(file),
  }
  for (const [what, exchange] of Object.entries(exchanges)) {
    it(`is told, and no two states are mixed: ${what}`, async () => {
      const group = await newGroup()
      const file = join(rootOf(group, 'workspace'), 'd/file')
      await mkdir(join(file, '..'))
      await writeFile(file, 'x'.repeat(9))
      const wanted = { agentGroupID: group, place: 'workspace', path: 'd/file', length: 4 } as const
      const { tag } = await readFilePart({ stateDir }, { ...wanted, offset: 0 })
      await exchange(file)
      await refused(readFilePart({ stateDir }, { ...wanted, offset: 4, tag }), what)
    })
  }

  it('leaves the host alone: a directory that becomes a link and back while files are put into it and removed', async () => {
    const group = await newGroup()
    const directory = join(rootOf(group, 'workspace'), 'd')
    const outside = join(home, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'of-the-host'), 'x')
    const over = new AbortController()
    const exchanging = (async () => {
      const remove = () => rm(directory, { recursive: true, force: true }).catch(() => undefined)
      while (!over.signal.aborted) {
        await remove()
        // A put may have made the directory in between.
        await symlink(outside, directory).catch(() => undefined)
        await remove()
        await mkdir(directory).catch(() => undefined)
        await writeFile(join(directory, 'of-the-host'), 'x', { flag: 'wx' }).catch(() => undefined)
      }
      await remove()
    })()
    const faults: unknown[] = []
    const note = (error: unknown): void => void (isServiceError(error) || faults.push(error))
    for (let index = 0; index < 100; index += 1) {
      await put(group, `d/${index}`).catch(note)
      await remove(group, 'd/of-the-host').catch(note)
    }
    over.abort()
    await exchanging
    assert.deepEqual(faults, [])
    assert.deepEqual(await readdir(outside), ['of-the-host'])
    await put(group, 'd/last')
    assert.equal(await fetch(group, 'd/last'), 'of a person')
  })
})
