// Opens the queue of one session, and creates it for a new session. Never replaces a lost queue with an empty one.
import { rm, stat } from 'node:fs/promises'
import { AgentGroupID, ConversationID, isServiceError, SessionID, stateFiles } from '@gatehouse/contracts'
import { ifPresent, type Logger } from '@gatehouse/kernel'
import { openStore, type Store, toFileError } from '@gatehouse/store'
import * as v from 'valibot'
import { UnreadableQueue } from '../errors.ts'
import { type KeyPlace, migrations, newKey, type QueueKey, readKey, writeKey } from './schema.ts'

/** Whose queue a file is, written inside it, so that a file under another session's name is noticed. */
const QueueOwner = v.object({ id: SessionID, agentGroupID: AgentGroupID, conversationID: ConversationID })
export type QueueOwner = v.InferOutput<typeof QueueOwner>

const readAbout = async (store: Store): Promise<QueueOwner | undefined> => {
  const row = await store.read.get('SELECT session AS id, agent_group AS agentGroupID, conversation AS conversationID FROM about')
  return row === undefined ? undefined : v.parse(QueueOwner, row)
}

const writeAbout = async (store: Store, about: QueueOwner): Promise<void> => {
  await store.write(async (tx) => {
    await tx.run('INSERT INTO about (one, session, agent_group, conversation) VALUES (1, ?, ?, ?) ON CONFLICT (one) DO NOTHING', [
      about.id,
      about.agentGroupID,
      about.conversationID,
    ])
  })
}

/** Tells a damaged file from a moment's trouble with the disk. */
const damaged: readonly unknown[] = ['SQLITE_CORRUPT', 'SQLITE_NOTADB']

/** The store keeps SQLite's own error as the cause. */
export const isDamage = (error: unknown): boolean => error instanceof Error && hasCode(error.cause)

const hasCode = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && damaged.includes(cause.code)

export { migrations }

export interface QueuePlace {
  readonly stateDir: string
  readonly wrapping: Buffer
  readonly log: Logger
}

export interface OpenQueue {
  readonly store: Store
  readonly about: QueueOwner
}

const queuePath = ({ stateDir }: QueuePlace, session: SessionID): string => `${stateDir}/${stateFiles.queues}/${session}.db`
const keyPath = ({ stateDir }: QueuePlace, session: SessionID): string => `${stateDir}/${stateFiles.keys}/${session}.key`

const sizeOf = async (path: string): Promise<number | undefined> => {
  const found = await ifPresent(stat(path))
  return found?.size
}

/** Trouble that may pass, such as a full disk, stays what it is. */
const open = async (place: QueuePlace, session: SessionID, key: Buffer): Promise<Store> => {
  try {
    return await openStore({ path: queuePath(place, session), key: key.toString('hex'), migrations, log: place.log })
  } catch (error) {
    if (isServiceError(error) && !isDamage(error)) throw error
    throw new UnreadableQueue(session, `queues/${session}.db does not open under its key: it was replaced, cut or damaged`, error)
  }
}

/** Until the key says `made` nothing was ever accepted, so what a crash left behind may go. */
const make = async (place: QueuePlace, keyPlace: KeyPlace, about: QueueOwner): Promise<OpenQueue> => {
  const path = queuePath(place, about.id)
  const key = newKey()
  for (const end of ['', '-wal', '-shm']) await rm(`${path}${end}`, { force: true })
  await writeKey(keyPlace, key)
  const store = await open(place, about.id, key.key)
  await writeAbout(store, about)
  await writeKey(keyPlace, { ...key, made: true })
  return { store, about }
}

const reopen = async (place: QueuePlace, session: SessionID, key: Buffer): Promise<OpenQueue> => {
  const store = await open(place, session, key)
  try {
    const about = await readAbout(store)
    if (about?.id !== session) throw new UnreadableQueue(session, `queues/${session}.db does not say that it is this session's`)
    return { store, about }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** `made` false: the file, if any, holds nothing that was accepted. */
const whatIsThere = async (place: QueuePlace, keyPlace: KeyPlace): Promise<QueueKey | undefined> => {
  const { session } = keyPlace
  const held = await readKey(keyPlace)
  const size = await sizeOf(queuePath(place, session))
  if (held === undefined && size !== undefined) throw new UnreadableQueue(session, `keys/${session}.key is missing`)
  if (held?.made === true && (size === undefined || size === 0)) {
    throw new UnreadableQueue(session, `queues/${session}.db is ${size === 0 ? 'empty' : 'missing'}`)
  }
  return held
}

const keyPlaceOf = (place: QueuePlace, session: SessionID): KeyPlace => ({
  path: keyPath(place, session),
  session,
  wrapping: place.wrapping,
})

/** Makes nothing; `undefined` for a queue that was never completed. */
export const openExisting = async (place: QueuePlace, session: SessionID): Promise<OpenQueue | undefined> => {
  const held = await whatIsThere(place, keyPlaceOf(place, session))
  return held?.made === true ? reopen(place, session, held.key) : undefined
}

export const openQueue = async (place: QueuePlace, about: QueueOwner): Promise<OpenQueue> => {
  const keyPlace = keyPlaceOf(place, about.id)
  try {
    const held = await whatIsThere(place, keyPlace)
    return held?.made === true ? await reopen(place, about.id, held.key) : await make(place, keyPlace, about)
  } catch (error) {
    throw toFileError(error, `queues/${about.id}.db`)
  }
}
