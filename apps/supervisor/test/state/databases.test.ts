// Copies of queues that are written to in turn: of one moment, since they are held still for it.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import type { Store } from '@gatehouse/store'
import { newestOf, subkeysOf } from '../../src/keys/keyring.ts'
import { copyDatabases, type Queues } from '../../src/state/backup/databases.ts'
import { addLine, openDatabase, seqsIn, sessions, smallState } from './state.ts'

/** Writes number after number, in turn to one queue and the other, as conversations of one group do. */
class Writer {
  readonly #stores: readonly Store[]
  #held: PromiseWithResolvers<void> | undefined
  #step: Promise<unknown> = Promise.resolve()
  #ended = false
  seq = 0

  constructor(stores: readonly Store[]) {
    this.#stores = stores
  }

  async run(): Promise<void> {
    while (!this.#ended) {
      await this.#held?.promise
      this.seq += 1
      this.#step = addLine(this.#stores[this.seq % this.#stores.length]!, this.seq, 'said')
      await this.#step
    }
  }

  async hold(): Promise<void> {
    this.#held = Promise.withResolvers()
    await this.#step
  }

  goOn(): void {
    this.#held?.resolve()
    this.#held = undefined
  }

  end(): void {
    this.#ended = true
    this.goOn()
  }
}

/** @param honest whether a hold is one */
const queuesOf = (writer: Writer, honest: boolean): Queues => ({
  touched: () => Promise.resolve(sessions),
  openDisks: () => Promise.resolve([]),
  hold: async () => {
    if (honest) await writer.hold()
    return { hold: 'h', sessions }
  },
  release: () => {
    writer.goOn()
    return Promise.resolve(true)
  },
})

const copyMany = async (t: TestContext, honest: boolean): Promise<{ readonly missing: number; readonly copied: number }> => {
  const { dir, epochs, queueKeys } = await smallState(t)
  const pathOf = (folder: string, session: string): string => join(folder, `${session}.db`)
  const keyOf = (session: string): string => queueKeys.get(session)!.toString('hex')
  const stores = await Promise.all(sessions.map((session) => openDatabase(pathOf(join(dir, 'queues'), session), keyOf(session))))
  const writer = new Writer(stores)
  const running = writer.run()
  let [missing, copied] = [0, 0]
  try {
    for (const most = honest ? 6 : 40; copied < most && missing === 0; copied += 1) {
      const least = writer.seq - 1
      const copies = join(dir, `.backup-${copied}`)
      await copyDatabases({ stateDir: dir, keys: subkeysOf(newestOf(epochs)), queues: queuesOf(writer, honest), copies })
      const all = await Promise.all(
        sessions.map(async (session) => {
          const copy = await openDatabase(pathOf(copies, session), keyOf(session))
          const seqs = await seqsIn(copy)
          await copy.close()
          return seqs
        }),
      )
      const seqs = [...new Set(all.flat())].toSorted((a, b) => a - b)
      assert.ok(seqs.length > least, 'what was written before is there')
      if (seqs.some((seq, index) => seq !== index)) missing += 1
    }
  } finally {
    writer.end()
    await running
    for (const store of stores) await store.close()
  }
  return { missing, copied }
}

suite('copies of databases', () => {
  test('hold all that was written before, and no number without the one below it', async (t) => {
    assert.deepEqual(await copyMany(t, true), { missing: 0, copied: 6 })
  })

  test('miss numbers where the queues are not held still', async (t) => {
    assert.equal((await copyMany(t, false)).missing, 1)
  })

  test('are refused when the hold was lost', async (t) => {
    const { dir, epochs } = await smallState(t)
    const queues: Queues = {
      touched: () => Promise.resolve([]),
      openDisks: () => Promise.resolve([]),
      hold: () => Promise.resolve({ hold: 'h', sessions: [] }),
      release: () => Promise.resolve(false),
    }
    const copies = join(dir, '.backup-x')
    await assert.rejects(copyDatabases({ stateDir: dir, keys: subkeysOf(newestOf(epochs)), queues, copies }), /held still/)
  })
})
