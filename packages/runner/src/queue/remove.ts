// Removes a queue for good: the key, then what it opened.
import { rm } from 'node:fs/promises'
import { type SessionID, stateFiles } from '@gatehouse/contracts'

const remove = async (path: string): Promise<boolean> => {
  try {
    await rm(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

/** Resolves with whether there was anything. Nobody may have it open. */
export const removeQueue = async ({ stateDir }: { readonly stateDir: string }, session: SessionID): Promise<boolean> => {
  const queue = `${stateDir}/${stateFiles.queues}/${session}.db`
  const removed: boolean[] = []
  for (const path of [`${stateDir}/${stateFiles.keys}/${session}.key`, queue, `${queue}-wal`, `${queue}-shm`])
    removed.push(await remove(path))
  return removed.includes(true)
}
