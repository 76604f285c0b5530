// What an agent leaves in its workspace and memory, against the reader that people list, fetch and put files by.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { chmod, link, lstat, mkdir, readdir, readFile, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { type AgentGroupID, type FilePlace, filePlaces, isServiceError, limits } from '@gatehouse/contracts'
import { listFiles } from '../../src/files/list.ts'
import { putFile } from '../../src/files/put.ts'
import { readFilePart } from '../../src/files/read.ts'
import { refusing } from '../../src/files/refusal.ts'
import { Uploads } from '../../src/files/uploads.ts'
import { groupDirectories } from '../../src/groups/directories.ts'
import { objects, type Planting } from '../fixtures/objects.ts'

const home = mkdtempSync('/tmp/gh-files-')
const stateDir = join(home, 'state')
const secret = join(home, 'secret')
const uploads = new Uploads(stateDir)
const isRoot = process.geteuid?.() === 0
let count = 0

/** A group of its own. */
const newGroup = async (): Promise<AgentGroupID> => {
  const id = `g${(count += 1)}` as AgentGroupID
  await groupDirectories(stateDir, id, undefined)
  return id
}
const rootOf = (agentGroupID: AgentGroupID, place: FilePlace): string => join(stateDir, 'groups', agentGroupID, place)

const fetch = async (agentGroupID: AgentGroupID, path: string, place: FilePlace = 'workspace'): Promise<string> => {
  const { data } = await readFilePart({ stateDir }, { agentGroupID, place, path, offset: 0, length: limits.filePart })
  return Buffer.from(data, 'base64').toString()
}
const list = (agentGroupID: AgentGroupID, path = '', place: FilePlace = 'workspace') =>
  listFiles({ stateDir }, { agentGroupID, place, path, limit: 200 })
const put = (agentGroupID: AgentGroupID, path: string, place: FilePlace = 'workspace'): Promise<void> =>
  refusing(path, async () => {
    const id = await uploads.begin({ agentGroupID, place, path })
    await uploads.add(id, Buffer.from('of a person'))
    try {
      await putFile(uploads.take(id), { root: rootOf(agentGroupID, place), owner: undefined, most: 64 })
    } finally {
      await uploads.drop(id)
    }
  })

const refused = async (act: Promise<unknown>, what: string): Promise<string> => {
  const error: unknown = await act.then(
    () => assert.fail(`${what}: expected a refusal`),
    (thrown: unknown) => thrown,
  )
  assert.ok(isServiceError(error), `${what}: ${String(error)}`)
  assert.ok(['conflict', 'not-found', 'too-large'].includes(error.code), `${what}: ${error.code}`)
  assert.doesNotMatch(JSON.stringify(error), /of the host/)
  return error.code
}

before(async () => {
  await mkdir(join(stateDir, 'groups'), { recursive: true, mode: 0o700 })
  await writeFile(secret, 'of the host')
})
after(async () => {
  await uploads.close()
  await rm(home, { recursive: true, force: true })
})

/** Beyond those that every reader of the host refuses. */
const more: Readonly<Record<string, Planting>> = {
  'a link to a file beside it': async (path) => {
    await writeFile(`${path}.real`, 'x')
    await symlink(`${path}.real`, path)
  },
  'a link with an absolute path of the sandbox': (path) => symlink('/workspace/other', path),
  'a link to the journal of the unit': (path) => symlink('../../../audit.jsonl', path),
  'a hard link in another directory': async (path) => {
    await mkdir(`${path}.d`)
    await writeFile(`${path}.d/one`, 'x')
    await link(`${path}.d/one`, path)
  },
  'a file one byte too large': async (path) => {
    await writeFile(path, '')
    await truncate(path, limits.file + 1)
  },
  ...(isRoot && {
    'a device of characters': async (path: string) => execFileSync('mknod', [path, 'c', '1', '5']),
    'a device of blocks': async (path: string) => execFileSync('mknod', [path, 'b', '7', '250']),
  }),
}
const planted = { ...objects({ home, secret }), ...more }

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

  it('leaves the host alone: a directory that becomes a link and back while files are put into it', async () => {
    const group = await newGroup()
    const directory = join(rootOf(group, 'workspace'), 'd')
    const outside = join(home, 'outside')
    await mkdir(outside)
    const over = new AbortController()
    const exchanging = (async () => {
      const remove = () => rm(directory, { recursive: true, force: true }).catch(() => undefined)
      while (!over.signal.aborted) {
        await remove()
        // A put may have made the directory in between.
        await symlink(outside, directory).catch(() => undefined)
        await remove()
        await mkdir(directory).catch(() => undefined)
      }
      await remove()
    })()
    const faults: unknown[] = []
    for (let index = 0; index < 100; index += 1)
      await put(group, `d/${index}`).catch((error: unknown) => void (isServiceError(error) || faults.push(error)))
    over.abort()
    await exchanging
    assert.deepEqual(faults, [])
    assert.deepEqual(await readdir(outside), [])
    await put(group, 'd/last')
    assert.equal(await fetch(group, 'd/last'), 'of a person')
  })
})
