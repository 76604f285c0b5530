// Archives that are broken in one way each: refused with the reason, before anything is written.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { isRefusal } from '@gatehouse/kernel'
import { generateX25519Identity } from 'age-encryption'
import { checkArchive } from '../src/check.ts'
import { restore } from '../src/restore.ts'
import { contents, directory, file, identity, joined, link, piecesOf, plain, raw, scratch, sealed, stateText, written } from './archives.ts'

/** The whole archive with one entry more, before its end. */
const withEntry = async (piece: Buffer): Promise<Buffer> => {
  const pieces = piecesOf(await plain())
  return joined([...pieces.slice(0, -1), { bytes: piece }, ...pieces.slice(-1)])
}
const without = (name: string) => contents().filter(({ path }) => path !== name)
const instead = (name: string, text: string) => contents().map((entry) => (entry.path === name ? file(name, text) : entry))

const flipped = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

const swapped = async (): Promise<Buffer> => {
  const pieces = piecesOf(await plain())
  const [first, second] = [2, 3].map((index) => pieces[index]!)
  return joined(pieces.with(2, second!).with(3, first!))
}

const damaged = async (): Promise<Buffer> => {
  const pieces = piecesOf(await plain())
  return joined(pieces.with(3, { ...pieces[3]!, bytes: flipped(pieces[3]!.bytes, 10) }))
}

/** By what is wrong: the bytes of the file, and the reason that is given. */
const cases: Readonly<Record<string, readonly [() => Promise<Buffer>, RegExp]>> = {
  'an empty file': [async () => Buffer.alloc(0), /expected an age file/],
  'another kind of file': [async () => Buffer.from('PK\u0003\u0004 no archive of ours'.repeat(50)), /expected an age file/],
  'another magic': [async () => flipped(await sealed(await plain()), 3), /expected an age file/],
  'an archive without its cover': [() => plain(), /expected an age file/],
  'a cut header': [async () => (await sealed(await plain())).subarray(0, 60), /expected an age file/],
  'a flipped bit in the header': [async () => flipped(await sealed(await plain()), 60), /age file|none of the identities/],
  'a cut in the middle': [async () => (await sealed(await plain())).subarray(0, 30_000), /cut or altered/],
  'a cut of the last byte': [async () => (await sealed(await plain())).subarray(0, -1), /cut or altered/],
  'bytes after the end': [async () => Buffer.concat([await sealed(await plain()), Buffer.from('more')]), /cut or altered/],
  'a flipped bit in the middle': [async () => flipped(await sealed(await plain()), 30_000), /cut or altered/],
  'nothing under the cover': [() => sealed(Buffer.alloc(0)), /got a few bytes/],
  'no archive under the cover': [() => sealed(Buffer.from('something else '.repeat(200))), /expected an archive of files/],
  'a compressed archive': [async () => sealed(gzipSync(await plain())), /expected an archive of files/],
  'a bomb': [() => sealed(gzipSync(Buffer.alloc(50_000_000))), /expected an archive of files/],
  'a header with a wrong sum': [async () => sealed(await damaged()), /cut or altered/],
  'an archive that ends early under its cover': [async () => sealed((await plain()).subarray(0, 20_000)), /cut|missing/],
  'no end': [async () => sealed(joined(piecesOf(await plain()).slice(0, -1))), /its end is missing/],
  'a missing entry': [
    async () => sealed(joined(piecesOf(await plain()).filter(({ name }) => !name.endsWith('audit.jsonl')))),
    /not those that it ends with/,
  ],
  'swapped entries': [async () => sealed(await swapped()), /not those that it ends with/],
  'an added entry': [async () => sealed(await withEntry(raw({ path: 'state/extra', type: 'File' }))), /not those that it ends with/],
  'something after the end': [
    async () => sealed(joined([...piecesOf(await plain()), { bytes: raw({ path: 'state/late', type: 'File' }) }])),
    /nothing after end\.json/,
  ],
  'no manifest': [async () => sealed(joined(piecesOf(await plain()).slice(1))), /expected manifest\.json first/],
  'a manifest of something else': [
    async () => sealed(joined([{ bytes: raw({ path: 'manifest.json', type: 'File' }, Buffer.from('{}')) }])),
    /expected the manifest of a backup/,
  ],
  'a newer version of the archive': [
    async () => sealed(await plain(contents(), { version: 2 as 1 })),
    /version 1 of the archive or older, got 2/,
  ],
  'a newer schema of the state': [async () => sealed(await plain(contents(), { schema: 2 })), /schema 1 or older, got 2/],
  'a manifest of another installation': [
    async () => sealed(await plain(contents(), { installation: 'c'.repeat(32) })),
    /of two installations/,
  ],
  'a path that leads up': [async () => sealed(await plain([...contents(), file('state/../../etc/cron.d/x', 'x')])), /path of plain names/],
  'an absolute path': [async () => sealed(await withEntry(raw({ path: '/etc/passwd', type: 'File' }))), /relative paths/],
  'a path beside the state': [async () => sealed(await plain([...contents(), file('elsewhere', 'x')])), /everything below state\//],
  'a name with a zero byte': [
    async () => sealed(await plain([...contents(), file('state/a\u0000b', 'x')])),
    /plain names|cut or altered|not those/,
  ],
  'a link among the files of the unit': [
    async () => sealed(await plain([...contents(), link('state/admin-token', '/etc/shadow')])),
    /links among the files of agents alone/,
  ],
  'a file behind a link': [
    async () => sealed(await plain([...contents(), file('state/groups/dev-agent/workspace/elsewhere/x', 'x')])),
    /expected a directory before what lies in it/,
  ],
  'a hard link': [async () => sealed(await withEntry(raw({ path: 'state/hard', type: 'Link', linkpath: '/etc/shadow' }))), /of type Link/],
  'a device': [async () => sealed(await withEntry(raw({ path: 'state/null', type: 'CharacterDevice' }))), /of type CharacterDevice/],
  'a pipe': [async () => sealed(await withEntry(raw({ path: 'state/pipe', type: 'FIFO' }))), /of type FIFO/],
  'an entry twice': [async () => sealed(await plain([...contents(), file('state/keyring.json', '{}')])), /twice/],
  'a directory twice': [async () => sealed(await plain([...contents(), directory('state/groups')])), /twice/],
  'a file without its directory': [
    async () => sealed(await plain([...contents(), file('state/nowhere/x', 'x')])),
    /directory before what lies in it/,
  ],
  'a mode beyond permissions': [async () => sealed(await plain([...contents(), file('state/su', 'x', 0o4755)])), /permission bits alone/],
  'a lock': [async () => sealed(await plain([...contents(), directory('state/locks')])), /expected no locks/],
  'an act of the host': [
    async () => sealed(await plain([...contents(), file('state/host-acts.json', '[]')])),
    /expected no host-acts\.json/,
  ],
  'no state file': [async () => sealed(await plain(without('state/state.json'))), /state\.json of an installation in it, got none/],
  'a state file of another mode': [
    async () => sealed(await plain(instead('state/state.json', stateText({ mode: 'dev' })))),
    /of two installations/,
  ],
  'no database': [async () => sealed(await plain(without('state/gateway.db'))), /expected gateway\.db in it/],
  'no keyring': [async () => sealed(await plain(without('state/keyring.json'))), /expected keyring\.json in it/],
  'a keyring that is none': [
    async () => sealed(await plain(instead('state/keyring.json', 'no keyring'))),
    /expected a keyring or 64 hex digits/,
  ],
  'the keyring of another state': [async () => sealed(await plain(instead('state/keyring.json', 'e'.repeat(64)))), /master key is another/],
  'a master key that was kept outside': [
    async () => sealed(await plain(without('state/keyring.json'), { masterKey: 'outside' })),
    /kept outside of the state/,
  ],
}

suite('a broken archive', () => {
  test('is refused with the reason before anything is written, in every one of its kinds', async (t) => {
    assert.ok(Object.keys(cases).length >= 30)
    const folder = await scratch(t)
    for (const [name, [make, reason]] of Object.entries(cases)) {
      const path = await written(folder, await make())
      const options = { file: path, opener: { identities: [identity] }, stateDir: join(folder, 'state'), masterKeyFile: null }
      const error: unknown = await restore(options).catch((thrown: unknown) => thrown)
      assert.ok(isRefusal(error), `${name}: ${String(error)}`)
      assert.match(error.detail, reason, name)
      assert.deepEqual(await readdir(folder), ['backup.age'], name)
    }
  })

  test('would be restored were it whole', async (t) => {
    const folder = await scratch(t)
    const path = await written(folder, await sealed(await plain()))
    await restore({ file: path, opener: { identities: [identity] }, stateDir: join(folder, 'state'), masterKeyFile: null })
    assert.ok((await readdir(join(folder, 'state'))).includes('gateway.db'))
  })

  test('is found by what it holds, and not by its cover alone', async () => {
    // The same bytes under a cover that is whole: whoever knows a recipient can make one.
    const read = async function* (): AsyncGenerator<Uint8Array> {
      yield await sealed(await swapped())
    }
    await assert.rejects(checkArchive({ read, opener: { identities: [identity] }, masterKeyFile: null }), /not those that it ends with/)
  })

  test('is what a file looks like to the wrong identity or passphrase', async (t) => {
    const folder = await scratch(t)
    const path = await written(folder, await sealed(await plain()))
    const other = await generateX25519Identity()
    for (const opener of [{ identities: [other] }, { identities: [], passphrase: 'the wrong passphrase' }]) {
      const tried = restore({ file: path, opener, stateDir: join(folder, 'state'), masterKeyFile: null })
      await assert.rejects(
        tried,
        (error: Error) => error.message.includes('none of the identities or passphrases') && !error.message.includes(other),
      )
    }
    assert.deepEqual(await readdir(folder), ['backup.age'])
  })
})
