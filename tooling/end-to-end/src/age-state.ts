// Makes what a stopped unit keeps look as if it had been written long ago, so that a test need not wait for it to be forgotten.
import { readdir, readFile, rename, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { type SessionID, stateFiles } from '@gatehouse/contracts'
import { deriveKey, parseKeyring, silentLogger } from '@gatehouse/kernel'
import { openExisting } from '@gatehouse/runner/queue'

const wrappingKey = async (stateDir: string): Promise<Buffer> => {
  const newest = parseKeyring(await readFile(join(stateDir, stateFiles.keyring), 'utf8'))?.at(-1)
  if (newest === undefined) throw new Error(`${stateDir} has no keyring`)
  return deriveKey(newest.key, 'queues', newest.epoch)
}

/** Every message of every queue. Resolves with how many. */
export const ageMessages = async (stateDir: string, at: Date): Promise<number> => {
  const place = { stateDir, wrapping: await wrappingKey(stateDir), log: silentLogger }
  let aged = 0
  for (const name of await readdir(join(stateDir, stateFiles.queues))) {
    const session = /^(ses_[a-z2-7]{13})\.db$/.exec(name)?.[1]
    const queue = session === undefined ? undefined : await openExisting(place, session as SessionID)
    if (queue === undefined) continue
    aged += (await queue.store.write((tx) => tx.run('UPDATE messages SET at = ?', [at.toISOString()]))).changes
    await queue.store.close()
  }
  return aged
}

/** Closes the file of records that is written to now, and dates its end back. */
export const ageRecords = async (stateDir: string, at: Date): Promise<void> => {
  const closed = join(stateDir, 'calls.1.jsonl')
  await rename(join(stateDir, 'calls.jsonl'), closed)
  await utimes(closed, at, at)
}
