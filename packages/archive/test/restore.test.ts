// Restores of a valid archive: contents, owners and modes, and the refusal of directories that are not empty.
import assert from 'node:assert/strict'
import { chown, mkdir, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { formatKeyring, isRefusal, readHostActs, restoringPrefix } from '@gatehouse/kernel'
import { noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import type { Manifest } from '../src/manifest.ts'
import { restore, type RestoreOptions } from '../src/restore.ts'
import { contents, epoch, file, identity, manifest, plain, scratch, sealed, written } from './archives.ts'

const optionsIn = async (folder: string, entries = contents(), head: Manifest = manifest): Promise<RestoreOptions> => ({
  file: await written(folder, await sealed(await plain(entries, head))),
  opener: { identities: [identity] },
  stateDir: join(folder, 'state'),
  masterKeyFile: null,
})

const refused = async (t: TestContext, options: RestoreOptions, reason: RegExp): Promise<void> => {
  const error: unknown = await restore(options).catch((thrown: unknown) => thrown)
  assert.ok(isRefusal(error), String(error))
  assert.match(error.detail, reason)
  t.diagnostic(error.detail)
}

suite('a restore', () => {
  test('restores files, modes and links, and adds a record for the journal', async (t) => {
    const folder = await scratch(t)
    const options = await optionsIn(folder)
    await mkdir(options.stateDir, { mode: 0o700 })
    const { files, manifest: read } = await restore(options)
    assert.deepEqual(read, manifest)
    assert.equal(files, contents().filter(({ type }) => type === 'file').length)
    const at = (...names: string[]): string => join(options.stateDir, ...names)
    assert.equal(await readFile(at('keyring.json'), 'utf8'), formatKeyring([epoch]))
    assert.equal(await readFile(at('groups/dev-agent/workspace/notes.txt'), 'utf8'), 'what an agent wrote')
    assert.equal((await stat(at('groups/dev-agent/workspace/notes.txt'))).mode & 0o777, 0o640)
    assert.equal(await readlink(at('groups/dev-agent/workspace/elsewhere')), '/etc/passwd')
    assert.equal((await stat(options.stateDir)).mode & 0o777, 0o700)
    const [act] = await readHostActs(options.stateDir)
    assert.ok(act?.stage === 'restored')
    assert.deepEqual(act.head, manifest.head)
    assert.deepEqual((await readdir(folder)).toSorted(), ['backup.age', 'state'])
    if (process.getuid?.() === 0)
      for (const name of ['', 'keyring.json', 'groups/dev-agent/workspace/notes.txt', 'host-acts.json'])
        assert.equal((await stat(at(name))).uid, 65532, name)
  })

  test(
    'by root into a directory of another user gives the unit to that user and keeps the owners of agent files',
    { skip: process.getuid?.() === 0 ? false : 'needs root: to change file owners' },
    async (t) => {
      const folder = await scratch(t)
      const owned = { ...manifest, owners: true }
      const entries = contents().map((entry) => ({
        ...entry,
        ...(entry.path.includes('workspace') ? { uid: 700_001, gid: 700_001 } : { uid: 0, gid: 0 }),
      }))
      const options = await optionsIn(folder, entries, owned)
      await mkdir(options.stateDir, { mode: 0o700 })
      await chown(options.stateDir, 1234, 1235)
      await restore(options)
      const ownerAt = async (name: string) => {
        const { uid, gid } = await stat(join(options.stateDir, name))
        return [uid, gid]
      }
      for (const name of ['', 'keyring.json', 'groups', 'groups/dev-agent', 'host-acts.json'])
        assert.deepEqual(await ownerAt(name), [1234, 1235], name)
      assert.deepEqual(await ownerAt('groups/dev-agent/workspace/notes.txt'), [700_001, 700_001])
    },
  )

  test('creates the directory and its parents', async (t) => {
    const folder = await scratch(t)
    const options = { ...(await optionsIn(folder)), stateDir: join(folder, 'a/b/state') }
    await restore(options)
    assert.ok((await readdir(options.stateDir)).includes('gateway.db'))
  })

  test('accepts a directory that contains only lost+found', async (t) => {
    const folder = await scratch(t)
    const options = await optionsIn(folder)
    await mkdir(join(options.stateDir, 'lost+found'), { recursive: true, mode: 0o700 })
    await restore(options)
    const names = await readdir(options.stateDir)
    assert.ok(names.includes('gateway.db') && names.includes('lost+found'), names.join())
  })

  test('that fails while it moves files keeps all of them, frozen and marked as incomplete', async (t) => {
    const folder = await scratch(t)
    // The file system uses this name, so the rename fails.
    const options = await optionsIn(folder, [...contents(), file('state/lost+found', 'x')])
    await mkdir(join(options.stateDir, 'lost+found'), { recursive: true, mode: 0o700 })
    await assert.rejects(restore(options), /EISDIR|ENOTEMPTY/)
    const names = await readdir(options.stateDir)
    const mark = names.find((name) => name.startsWith(restoringPrefix))
    assert.ok(mark !== undefined, names.join())
    assert.ok(names.includes('host-acts.json') && !names.includes('state.json'), names.join())
    const left = await readdir(join(options.stateDir, mark, 'state'))
    for (const name of ['gateway.db', 'keyring.json', 'audit.jsonl']) assert.ok([...names, ...left].includes(name), name)
    await refused(t, options, /is not empty/)
  })

  test('into a directory with content is refused and changes nothing', async (t) => {
    const folder = await scratch(t)
    const options = await optionsIn(folder)
    await mkdir(options.stateDir)
    await writeFile(join(options.stateDir, 'gateway.db'), 'mine')
    await refused(t, options, /is not empty: it contains gateway\.db/)
    assert.deepEqual(await readdir(options.stateDir), ['gateway.db'])
    assert.equal(await readFile(join(options.stateDir, 'gateway.db'), 'utf8'), 'mine')
  })

  test('uses the external master key if it was stored externally, and refuses another one', async (t) => {
    const folder = await scratch(t)
    const entries = contents().filter(({ path }) => path !== 'state/keyring.json')
    const options = await optionsIn(folder)
    await writeFile(options.file, await sealed(await plain(entries, { masterKey: 'outside' })))
    const masterKeyFile = join(folder, 'master')
    await writeFile(masterKeyFile, 'f'.repeat(64))
    await refused(t, { ...options, masterKeyFile }, /master key does not belong/)
    await writeFile(masterKeyFile, formatKeyring([epoch]))
    await restore({ ...options, masterKeyFile })
    assert.ok(!(await readdir(options.stateDir)).includes('keyring.json'))
  })

  test('leaves nothing on a full disk', { skip: noSmallDisk }, async (t) => {
    const folder = await scratch(t)
    await onSmallDisk('1m', async (disk) => {
      const large = file('state/calls.jsonl', Buffer.alloc(2_000_000, 'x'))
      const options = { ...(await optionsIn(folder, [...contents(), large])), stateDir: join(disk, 'state') }
      await refused(t, options, /not enough disk space/)
      assert.deepEqual(await readdir(disk), [])
    })
    // Enough for the data, but not for the metadata.
    await onSmallDisk('1m', async (disk) => {
      const many = Array.from({ length: 400 }, (_, index) => file(`state/small-${index}`, 'x'))
      const options = { ...(await optionsIn(folder, [...contents(), ...many])), stateDir: join(disk, 'state') }
      await assert.rejects(restore(options), /ENOSPC/)
      assert.deepEqual(await readdir(disk), [])
    })
  })

  test('works in a directory that is a mount point', { skip: noSmallDisk }, async (t) => {
    const folder = await scratch(t)
    const options = await optionsIn(folder)
    await onSmallDisk('2m', async (disk) => {
      await restore({ ...options, stateDir: disk })
      const names = await readdir(disk)
      assert.ok(names.includes('gateway.db') && names.includes('host-acts.json'))
      assert.ok(!names.some((name) => name.startsWith('.restoring-')), names.join())
    })
  })
})
