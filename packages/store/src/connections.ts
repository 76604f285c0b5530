// The two connections to one file: a writer, and a reader that sees only what was committed.
// After a fault both are closed and opened again, and what a failed sync left in doubt is written anew.
import { ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { type Connection, connect, readOnly, readWrite } from './connection.ts'
import { isDiskFull, sqliteCode, toStoreError } from './faults.ts'
import { unlock } from './unlock.ts'

export interface Pair {
  readonly writer: Connection
  readonly reader: Connection
}

export interface Connections {
  /** For reads: opened again if need be. */
  current(): Promise<Pair>
  /** For an act: the file is what it says. */
  sound(): Promise<Pair>
  /** After a fault: nothing that was read before counts. */
  reset(fault: unknown): void
  close(): Promise<void>
}

const openWriter = async (path: string, key: string): Promise<Connection> => {
  const writer = await connect(path, readWrite)
  try {
    await unlock(writer, key, path)
    const [mode] = (await writer.all('PRAGMA journal_mode = WAL', [])) as { journal_mode: string }[]
    if (mode?.journal_mode !== 'wal') throw new Error(`${path}: expected journal_mode wal, got ${mode?.journal_mode}`)
    for (const setting of ['synchronous = FULL', 'foreign_keys = ON', 'trusted_schema = OFF']) await writer.exec(`PRAGMA ${setting}`)
    return writer
  } catch (error) {
    await writer.close()
    throw error
  }
}

const openReader = async (path: string, key: string): Promise<Connection> => {
  const reader = await connect(path, readOnly)
  try {
    await unlock(reader, key, path)
    for (const setting of ['query_only = ON', 'trusted_schema = OFF']) await reader.exec(`PRAGMA ${setting}`)
    return reader
  } catch (error) {
    await reader.close()
    throw error
  }
}

const openPair = async (path: string, key: string): Promise<Pair> => {
  const writer = await openWriter(path, key)
  try {
    return { writer, reader: await openReader(path, key) }
  } catch (error) {
    await writer.close()
    throw error
  }
}

// The writer last: whoever closes last folds the write-ahead log into the file.
const closePair = async ({ reader, writer }: Pair): Promise<void> => {
  await reader.close()
  await writer.close()
}

/** Copies every page out of the write-ahead log and syncs it: pages that a failed sync dropped are written again. */
const rewrite = async ({ writer }: Pair): Promise<void> => {
  const [result] = (await writer.all('PRAGMA wal_checkpoint(TRUNCATE)', [])) as { busy: number }[]
  if (result?.busy !== 0) throw new ServiceError('unavailable', { detail: 'the write-ahead log is held by another program' })
}

export const openConnections = async (options: { path: string; key: string; log?: Logger | undefined }): Promise<Connections> => {
  const { path, key, log } = options
  let doubt = false
  let pair: Promise<Pair> | undefined
  const keep = (opening: Promise<Pair>): Promise<Pair> => {
    const kept: Promise<Pair> = opening.catch((error: unknown) => {
      if (pair === kept) pair = undefined
      throw toStoreError(error, path)
    })
    // Whoever asks next sees the failure.
    kept.catch(() => {})
    return kept
  }
  const current = (): Promise<Pair> => (pair ??= keep(openPair(path, key)))
  await current()
  return {
    current,
    async sound() {
      const opened = await current()
      if (doubt) {
        await rewrite(opened).catch((error: unknown) => {
          throw toStoreError(error, path)
        })
        doubt = false
      }
      return opened
    },
    reset(fault) {
      const old = pair
      doubt ||= !isDiskFull(fault)
      log?.warn('database closed and opened again after a fault', { path, code: sqliteCode(fault) })
      pair = keep(
        (async () => {
          if (old !== undefined) await old.then(closePair).catch(() => {})
          return openPair(path, key)
        })(),
      )
    },
    async close() {
      const old = pair
      pair = Promise.reject(new ServiceError('unavailable', { detail: `${path}: the store is closed` }))
      pair.catch(() => {})
      if (old !== undefined) await old.then(closePair)
    },
  }
}
