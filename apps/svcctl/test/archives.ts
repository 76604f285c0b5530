// The archives that the examples of `svcctl restore` name, with what opens them.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Cover, encrypt, type Entry, computeKeyCheck, pack } from '@gatehouse/archive'
import { formatKeyring } from '@gatehouse/kernel'

const identity = 'AGE-SECRET-KEY-1H7VKPWHUTR2UNY28NYSAFAV27QVFTNENWMQLM9M49RWVN28DWD6QRYUUL7'
const recipient = 'age1jqtf046pwnrtxeu86rlq6dshvddgwkwzt2nvgwupz7zdsujau5nslc9ewl'
const passphrase = 'correct horse battery'

const common = { mode: 0o700, uid: 0, gid: 0, mtime: new Date(0) }

async function* once(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content
}

const file = (path: string, text: string): Entry => {
  const content = Buffer.from(text)
  return { ...common, type: 'file', path, mode: 0o600, size: content.length, body: once(content) }
}

const write = async (path: string, cover: Cover): Promise<void> => {
  const epoch = { epoch: 1, key: randomBytes(32) }
  const [installation, mode, schema] = ['a'.repeat(32), 'dev', 1] as const
  async function* entries(): AsyncGenerator<Entry> {
    yield { ...common, type: 'directory', path: 'state' }
    yield file('state/state.json', JSON.stringify({ schema, installation, mode }))
    yield file('state/keyring.json', formatKeyring([epoch]))
    yield file('state/gateway.db', 'as good as any for who does not open it')
  }
  const head = { seq: 0, hash: '0'.repeat(64) }
  const about = { schema, release: '0.0.0', installation, mode, createdAt: '2026-01-02T03:04:05.000Z', head, owners: false, catalog: null }
  const manifest = {
    format: 'gatehouse-backup' as const,
    version: 1 as const,
    ...about,
    masterKey: 'inside' as const,
    keyCheck: computeKeyCheck(epoch),
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of await encrypt(pack(manifest, entries()), cover)) chunks.push(chunk)
  await writeFile(path, Buffer.concat(chunks))
}

export const writeArchives = async (folder: string): Promise<void> => {
  writeFileSync(join(folder, 'key.txt'), `# created by a test\n${identity}\n`, { mode: 0o600 })
  writeFileSync(join(folder, 'passphrase'), `${passphrase}\n`, { mode: 0o600 })
  await write(join(folder, 'backup.age'), { recipients: [recipient] })
  await write(join(folder, 'secret.age'), { passphrase })
}
