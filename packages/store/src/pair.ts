// The two connections to one file: a writer, and a reader that sees only what was committed.
import { type Connection, connect, readOnly, readWrite } from './connection.ts'
import { unlock } from './unlock.ts'

export interface Pair {
  readonly writer: Connection
  readonly reader: Connection
}

interface Kind {
  readonly mode: number
  readonly settings: readonly string[]
}

const writing: Kind = { mode: readWrite, settings: ['synchronous = FULL', 'foreign_keys = ON', 'trusted_schema = OFF'] }
const reading: Kind = { mode: readOnly, settings: ['query_only = ON', 'trusted_schema = OFF'] }

const openOne = async (path: string, key: string, { mode, settings }: Kind): Promise<Connection> => {
  const connection = await connect(path, mode)
  try {
    await unlock(connection, key, path)
    for (const setting of settings) await connection.exec(`PRAGMA ${setting}`)
    const [journal] = (await connection.all('PRAGMA journal_mode', [])) as { journal_mode: string }[]
    if (journal?.journal_mode !== 'wal') throw new Error(`${path}: expected journal_mode wal, got ${journal?.journal_mode}`)
    return connection
  } catch (error) {
    await connection.close()
    throw error
  }
}

export const openPair = async (path: string, key: string): Promise<Pair> => {
  const writer = await openOne(path, key, writing)
  try {
    return { writer, reader: await openOne(path, key, reading) }
  } catch (error) {
    await writer.close()
    throw error
  }
}

/** The writer last: whoever closes last folds the write-ahead log into the file. */
export const closePair = async ({ reader, writer }: Pair): Promise<void> => {
  await reader.close()
  await writer.close()
}
