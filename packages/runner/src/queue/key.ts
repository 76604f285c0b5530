// The key of one session's queue: random, sealed under the runner's subkey, bound to the session.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { SessionID } from '@gatehouse/contracts'
import { writeAtomically } from '@gatehouse/kernel'
import { type FileKey, openKeyFile, sealKeyFile } from '@gatehouse/store'
import { UnreadableQueue } from './unreadable.ts'

/** `made`: the queue file was completed under this key. */
export type QueueKey = FileKey

export interface KeyPlace {
  readonly path: string
  readonly session: SessionID
  readonly wrapping: Buffer
}

/** `undefined` when there is no key file. */
export const readKey = async ({ path, session, wrapping }: KeyPlace): Promise<QueueKey | undefined> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
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
