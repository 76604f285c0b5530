// A small state of a unit that was stopped: database, journal key, queues under sealed keys.
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { publishKeys } from '@gatehouse/journal'
import { openStore, sealKeyFile, type Store } from '@gatehouse/store'
import { type Epochs, loadEpochs, newestOf, subkeysOf } from '../../src/keys/keyring.ts'

const migrations = [['CREATE TABLE lines (seq INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT']] as const

export const sessions = ['ses_aaaaaaaaaaaaa', 'ses_bbbbbbbbbbbbb'] as const

export interface SmallState {
  readonly dir: string
  readonly epochs: Epochs
  /** Of each queue. */
  readonly queueKeys: ReadonlyMap<string, Buffer>
}

export const openDatabase = (path: string, key: string): Promise<Store> => openStore({ path, key, migrations })

export const addLine = (store: Store, seq: number, text: string): Promise<unknown> =>
  store.write((tx) => tx.run('INSERT INTO lines (seq, text) VALUES (?, ?)', [seq, text]))

export const seqsIn = async (store: Store): Promise<number[]> =>
  (await store.read.all<{ seq: number }>('SELECT seq FROM lines ORDER BY seq')).map(({ seq }) => seq)

const fill = async (path: string, key: string): Promise<void> => {
  const store = await openDatabase(path, key)
  await addLine(store, 0, 'kept')
  await store.close()
}

export const smallState = async (t: TestContext, parent = tmpdir()): Promise<SmallState> => {
  const dir = await mkdtemp(join(parent, 'gatehouse-state-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  for (const name of ['keys', 'queues']) await mkdir(join(dir, name), { mode: 0o700 })
  await writeFile(join(dir, 'state.json'), JSON.stringify({ schema: 1, installation: 'a'.repeat(32), mode: 'production' }), { mode: 0o600 })
  const epochs = await loadEpochs(dir, null)
  const keys = subkeysOf(newestOf(epochs))
  await fill(join(dir, 'gateway.db'), keys.database)
  await publishKeys(join(dir, 'journal.pub'), [Buffer.from(keys.journal, 'hex')])
  const queueKeys = new Map<string, Buffer>()
  for (const session of sessions) {
    const key = randomBytes(32)
    queueKeys.set(session, key)
    const sealed = sealKeyFile(Buffer.from(keys.queues, 'hex'), session, { key, made: true })
    await writeFile(join(dir, 'keys', `${session}.key`), sealed, { mode: 0o600 })
    await fill(join(dir, 'queues', `${session}.db`), key.toString('hex'))
  }
  return { dir, epochs, queueKeys }
}
