// Gives the room of rows that were removed back to the disk, and that of the write-ahead log.
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { isFault, toStoreError } from './faults.ts'

/** Pages; less is soon used again. */
const few = 256

const numberOf = async (writer: Connection, pragma: 'page_count' | 'freelist_count'): Promise<number> => {
  const [row] = (await writer.all(`PRAGMA ${pragma}`, [])) as Partial<Record<string, number>>[]
  return row?.[pragma] ?? 0
}

/** What is kept is written once more, so it is worth it only where that is the smaller half. */
export const compact = async (connections: Connections, path: string): Promise<void> => {
  const { writer } = await connections.sound()
  try {
    const [free, all] = [await numberOf(writer, 'freelist_count'), await numberOf(writer, 'page_count')]
    if (free > few && free * 2 > all) await writer.exec('VACUUM')
    await writer.all('PRAGMA wal_checkpoint(TRUNCATE)', [])
  } catch (error) {
    if (isFault(error)) connections.reset(error)
    throw toStoreError(error, path)
  }
}
