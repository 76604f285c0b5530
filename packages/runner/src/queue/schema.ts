// Tables of a session's queue and its encryption key. A released migration never changes; new ones are appended.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { SessionID } from '@gatehouse/contracts'
import { ifPresent, writeAtomically } from '@gatehouse/kernel'
import { type FileKey, openKeyFile, sealKeyFile } from '@gatehouse/store'
import { UnreadableQueue } from '../errors.ts'

export const migrations = [
  [
    `CREATE TABLE about (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      session TEXT NOT NULL,
      agent_group TEXT NOT NULL,
      conversation TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE messages (
      id TEXT PRIMARY KEY,
      seq INTEGER NOT NULL UNIQUE,
      direction TEXT NOT NULL CHECK (direction IN ('in', 'out')),
      sender TEXT NOT NULL CHECK (sender IN ('user', 'agent', 'system')),
      text TEXT NOT NULL,
      at TEXT NOT NULL,
      in_reply_to TEXT,
      acked INTEGER NOT NULL DEFAULT 0
    ) STRICT`,
    `CREATE INDEX waiting ON messages (seq) WHERE direction = 'in' AND acked = 0`,
    `CREATE TABLE requests (id TEXT PRIMARY KEY, kind TEXT NOT NULL, told INTEGER NOT NULL DEFAULT 0) STRICT`,
  ],
  [
    // What a repeated request of a person is known by, written with the message that the first one left.
    `CREATE TABLE repeats (principal TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, message TEXT NOT NULL, at TEXT NOT NULL,
       PRIMARY KEY (principal, key)) STRICT`,
    'CREATE INDEX repeats_by_time ON repeats (at)',
    // Applied changes that the gateway has not been told the end of.
    'CREATE TABLE owed (change_id TEXT PRIMARY KEY) STRICT',
  ],
  [
    // Who wrote a message of a channel, and what the channel needs to answer it.
    'ALTER TABLE messages ADD COLUMN author TEXT',
    'ALTER TABLE messages ADD COLUMN reference TEXT',
    // How far the channel of this conversation has taken what the agent said: up to `seq`, and so many parts of the next one.
    `CREATE TABLE delivery (one INTEGER PRIMARY KEY CHECK (one = 1), channel TEXT NOT NULL, seq INTEGER NOT NULL,
       parts INTEGER NOT NULL DEFAULT 0) STRICT`,
    // What could not be delivered.
    'CREATE TABLE dead_letters (id TEXT PRIMARY KEY, seq INTEGER NOT NULL, reason TEXT NOT NULL, at TEXT NOT NULL) STRICT',
  ],
  [
    // Files that the agent sent with a message, as they are shown with it.
    `CREATE TABLE sent_files (seq INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL,
       PRIMARY KEY (seq, number)) STRICT`,
    // Their copies, in pieces, for as long as the message waits for its channel.
    `CREATE TABLE copies (seq INTEGER NOT NULL, number INTEGER NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL,
       PRIMARY KEY (seq, number, part)) STRICT`,
  ],
] as const

/** `made`: the queue file was completed under this key. */
export type QueueKey = FileKey

export interface KeyPlace {
  readonly path: string
  readonly session: SessionID
  readonly wrapping: Buffer
}

/** `undefined` when there is no key file. */
export const readKey = async ({ path, session, wrapping }: KeyPlace): Promise<QueueKey | undefined> => {
  const text = await ifPresent(readFile(path, 'utf8'))
  if (text === undefined) return undefined
  try {
    return openKeyFile(wrapping, session, text)
  } catch (error) {
    throw new UnreadableQueue(
      session,
      `keys/${session}.key does not open: it was changed, is another session's, or another master key sealed it`,
      error,
    )
  }
}

/** On disk before it resolves, so that no database ever exists without its key. */
export const writeKey = async ({ path, session, wrapping }: KeyPlace, key: QueueKey): Promise<void> => {
  await writeAtomically(path, sealKeyFile(wrapping, session, key), 0o600)
}

export const newKey = (): QueueKey => ({ key: randomBytes(32), made: false })
