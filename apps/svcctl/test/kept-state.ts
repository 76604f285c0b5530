// The journal of a unit and the database that has seen its lines, as a stopped unit leaves them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditStage } from '@gatehouse/contracts'
import { type Head, openJournal } from '@gatehouse/journal'
import { deriveKey, silentLogger } from '@gatehouse/kernel'
import { openStore } from '@gatehouse/store'

const migrations = [['CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT']]

const master = Buffer.alloc(32, 7)

const keepHead = async (directory: string, { seq, hash }: Head): Promise<void> => {
  const key = deriveKey(master, 'database').toString('hex')
  const store = await openStore({ path: join(directory, 'gateway.db'), key, migrations })
  await store.write(async (tx) => {
    await tx.run('INSERT INTO head (one, seq, hash) VALUES (1, ?, ?)', [seq, hash])
  })
  await store.close()
}

/** @param stages of the lines, one each; a last signature follows them */
export const keepState = async (directory: string, stages: readonly AuditStage[]): Promise<Head> => {
  writeFileSync(join(directory, 'keyring.json'), master.toString('hex'), { mode: 0o600 })
  const journal = await openJournal({
    path: join(directory, 'audit.jsonl'),
    publicKeyPath: join(directory, 'journal.pub'),
    seed: deriveKey(master, 'journal'),
    epoch: 1,
    log: silentLogger,
  })
  for (const stage of stages) await journal.append([{ stage, edge: 'gateway.control-plane', principal: 'admin', detail: {} }])
  await journal.sign()
  const head = journal.head()
  await journal.close()
  await keepHead(directory, head)
  return head
}
