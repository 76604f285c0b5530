// Archives that are invalid in one way each are refused with the reason before anything is written.
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

/** A valid archive with an additional entry before its end. */
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

/** By fault: the bytes of the file, and the expected reason. */
const cases: Readonly<Record<string, readonly [() => Promise<Buffer>, RegExp]>> = {
  'an empty file': [async () => Buffer.alloc(0), /not a complete age file/],
  'another kind of file': [async () => Buffer.from('PK\u0003\u0004 not a backup archive'.repeat(50)), /not a complete age file/],
  'another magic': [async () => flipped(await sealed(await plain()), 3), /not a complete age file/],
  'an unencrypted archive': [() => plain(), /not a complete age file/],
  'a truncated header': [async () => (await sealed(await plain())).subarray(0, 60), /not a complete age file/],
  'a flipped bit in the header': [async () => flipped(await sealed(await plain()), 60), /age file|none of the given identities/],
  'a truncation in the middle': [async () => (await sealed(await plain())).subarray(0, 30_000), /truncated or altered/],
  'a missing last byte': [async () => (await sealed(await plain())).subarray(0, -1), /truncated or altered/],
  'bytes after the end': [async () => Buffer.concat([await sealed(await plain()), Buffer.from('more')]), /truncated or altered/],
  'a flipped bit in the middle': [async () => flipped(await sealed(await plain()), 30_000), /truncated or altered/],
  'no encrypted content': [() => sealed(Buffer.alloc(0)), /too short for an archive/],
  'encrypted content that is not an archive': [() => sealed(Buffer.from('something else '.repeat(200))), /not an archive of files/],
  'a compressed archive': [async () => sealed(gzipSync(await plain())), /not an archive of files/],
  'a bomb': [() => sealed(gzipSync(Buffer.alloc(50_000_000))), /not an archive of files/],
  'a header with a wrong sum': [async () => sealed(await damaged()), /truncated or altered/],
  'an encrypted archive that ends early': [async () => sealed((await plain()).subarray(0, 20_000)), /truncated|missing/],
  'no end': [async () => sealed(joined(piecesOf(await plain()).slice(0, -1))), /its end is missing/],
  'a missing entry': [
    async () => sealed(joined(piecesOf(await plain()).filter(({ name }) => !name.endsWith('audit.jsonl')))),
    /do not match its end/,
  ],
  'swapped entries': [async () => sealed(await swapped()), /do not match its end/],
  'an added entry': [async () => sealed(await withEntry(raw({ path: 'state/extra', type: 'File' }))), /do not match its end/],
  'an entry after the end': [
    async () => sealed(joined([...piecesOf(await plain()), { bytes: raw({ path: 'state/late', type: 'File' }) }])),
    /follows end\.json/,
  ],
  'no manifest': [async () => sealed(joined(piecesOf(await plain()).slice(1))), /instead of manifest\.json/],
  'a manifest of something else': [
    async () => sealed(joined([{ bytes: raw({ path: 'manifest.json', type: 'File' }, Buffer.from('{}')) }])),
    /does not begin with the manifest of a backup/,
  ],
  'a newer archive version': [async () => sealed(await plain(contents(), { version: 2 as 1 })), /format version 2 is newer than 1/],
  'a newer state schema': [async () => sealed(await plain(contents(), { schema: 2 })), /state schema 2 is newer than 1/],
  'a manifest of another installation': [
    async () => sealed(await plain(contents(), { installation: 'c'.repeat(32) })),
    /different installations/,
  ],
  'a path that leads up': [
    async () => sealed(await plain([...contents(), file('state/../../etc/cron.d/x', 'x')])),
    /contains an invalid name/,
  ],
  'an absolute path': [async () => sealed(await withEntry(raw({ path: '/etc/passwd', type: 'File' }))), /path is not relative/],
  'a path outside of the state': [async () => sealed(await plain([...contents(), file('elsewhere', 'x')])), /not below state\//],
  'a name with a zero byte': [
    async () => sealed(await plain([...contents(), file('state/a\u0000b', 'x')])),
    /invalid name|altered|do not match/,
  ],
  'a link among the files of the unit': [
    async () => sealed(await plain([...contents(), link('state/admin-token', '/etc/shadow')])),
    /links are allowed only among the files of agents/,
  ],
  'a file below a link': [
    async () => sealed(await plain([...contents(), file('state/groups/dev-agent/workspace/elsewhere/x', 'x')])),
    /an entry precedes its directory/,
  ],
  'a hard link': [async () => sealed(await withEntry(raw({ path: 'state/hard', type: 'Link', linkpath: '/etc/shadow' }))), /of type Link/],
  'a device': [async () => sealed(await withEntry(raw({ path: 'state/null', type: 'CharacterDevice' }))), /of type CharacterDevice/],
  'a pipe': [async () => sealed(await withEntry(raw({ path: 'state/pipe', type: 'FIFO' }))), /of type FIFO/],
  'an entry twice': [async () => sealed(await plain([...contents(), file('state/keyring.json', '{}')])), /twice/],
  'a directory twice': [async () => sealed(await plain([...contents(), directory('state/groups')])), /twice/],
  'a file without its directory': [
    async () => sealed(await plain([...contents(), file('state/nowhere/x', 'x')])),
    /an entry precedes its directory/,
  ],
  'a mode beyond permissions': [
    async () => sealed(await plain([...contents(), file('state/su', 'x', 0o4755)])),
    /more than permission bits/,
  ],
  'a lock': [async () => sealed(await plain([...contents(), directory('state/locks')])), /locks is not allowed/],
  'a file of host actions': [
    async () => sealed(await plain([...contents(), file('state/host-acts.json', '[]')])),
    /host-acts\.json is not allowed/,
  ],
  'no state file': [async () => sealed(await plain(without('state/state.json'))), /state\.json is missing/],
  'a state file of another mode': [
    async () => sealed(await plain(instead('state/state.json', stateText({ mode: 'dev' })))),
    /different installations/,
  ],
  'no database': [async () => sealed(await plain(without('state/gateway.db'))), /gateway\.db is missing/],
  'no keyring': [async () => sealed(await plain(without('state/keyring.json'))), /keyring\.json is missing/],
  'an invalid keyring': [
    async () => sealed(await plain(instead('state/keyring.json', 'no keyring'))),
    /neither a keyring nor 64 hex digits/,
  ],
  'the keyring of another state': [
    async () => sealed(await plain(instead('state/keyring.json', 'e'.repeat(64)))),
    /master key does not belong/,
  ],
  'a master key stored outside': [
    async () => sealed(await plain(without('state/keyring.json'), { masterKey: 'outside' })),
    /stored outside of the state/,
  ],
}

suite('a broken archive', () => {
  test('is refused with the reason before anything is written, for each fault', async (t) => {
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

  test('is restored without the fault', async (t) => {
    const folder = await scratch(t)
    const path = await written(folder, await sealed(await plain()))
    await restore({ file: path, opener: { identities: [identity] }, stateDir: join(folder, 'state'), masterKeyFile: null })
    assert.ok((await readdir(join(folder, 'state'))).includes('gateway.db'))
  })

  test('is recognized by its content, not only by its encryption', async () => {
    // The same bytes with valid encryption, which anyone who knows a recipient can create.
    const read = async function* (): AsyncGenerator<Uint8Array> {
      yield await sealed(await swapped())
    }
    await assert.rejects(checkArchive({ read, opener: { identities: [identity] }, masterKeyFile: null }), /do not match its end/)
  })

  test('is reported for the wrong identity or passphrase', async (t) => {
    const folder = await scratch(t)
    const path = await written(folder, await sealed(await plain()))
    const other = await generateX25519Identity()
    for (const opener of [{ identities: [other] }, { identities: [], passphrase: 'the wrong passphrase' }]) {
      const tried = restore({ file: path, opener, stateDir: join(folder, 'state'), masterKeyFile: null })
      await assert.rejects(
        tried,
        (error: Error) => error.message.includes('none of the given identities or passphrases') && !error.message.includes(other),
      )
    }
    assert.deepEqual(await readdir(folder), ['backup.age'])
  })
})
