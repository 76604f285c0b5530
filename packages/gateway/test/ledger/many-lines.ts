// A journal of many lines of many kinds, in closed files and in the present one, without the acts that would make them.
import { join } from 'node:path'
import { type AuditEntry, type AuditStage, kindNames } from '@gatehouse/contracts'
import { type HeldJournal, type Journal, type JournalInput, openHeldJournal } from '@gatehouse/journal'
import { silentLogger } from '@gatehouse/kernel'
import type { Filter } from '../../src/ledger/query.ts'
import { bootOf, newDirectory } from '../fixtures/unit.ts'

/** Stages without an effect, so that a line may say what it likes. */
const quiet = ['launch', 'exit', 'park', 'resume', 'seal-proof', 'files-put', 'self-approved', 'backup'] as const satisfies AuditStage[]

/** What lines are about; nothing is about the last of each. */
export const pool = {
  stage: [...quiet, 'checkpoint', 'start', 'sudo'],
  principal: ['admin', 'gateway', 'runner', 'ann', 'session:ses_aaaaaaaaaaaaa', 'mallory'],
  changeID: [
    'chg_20260101000000.000000001',
    'chg_20260101000000.000000002',
    'chg_20260101000000.000000003',
    'chg_20260101000000.000000009',
  ],
  kind: [...kindNames.slice(0, 4), 'mounts'],
  agentGroupID: ['a', 'b', 'c', 'd', 'nobody'],
} as const

/** Of a row of numbers that looks like chance and is the same each time. */
const pick = <T>(list: readonly T[], number: number, step: number): T | undefined => list[Math.floor(number / step) % list.length]

/** Some are about nothing; the last of each pool is never taken. */
const lineOf = (index: number): JournalInput => {
  const mixed = (index * 2_654_435_761) % 4_294_967_296
  const some = <T>(list: readonly T[], step: number): T | undefined => pick([...list.slice(0, -1), undefined, undefined], mixed, step)
  return {
    stage: pick(quiet, mixed, 7) ?? 'launch',
    edge: 'gateway',
    principal: pick(pool.principal.slice(0, -1), mixed, 11) ?? 'admin',
    changeID: some(pool.changeID, 13),
    kind: some(pool.kind, 17),
    agentGroupID: some(pool.agentGroupID, 19),
    detail: { index },
  }
}

/** @param fileSize bytes of a closed file */
export const openSmallFiles = (dir: string, fileSize: number, seed = bootOf(dir).keys.journal): Promise<HeldJournal> =>
  openHeldJournal({
    path: join(dir, 'audit.jsonl'),
    publicKeyPath: join(dir, 'journal.pub'),
    seed: Buffer.from(seed, 'hex'),
    epoch: 1,
    log: silentLogger,
    fileSize,
  })

/** Appended in small calls, so that there are many times and many files. */
const appendMany = async (journal: Journal, count: number, from = 0): Promise<void> => {
  for (let index = from; index < from + count;) {
    const size = Math.min(from + count - index, 1 + (index % 97))
    await journal.append(Array.from({ length: size }, (_, offset) => lineOf(index + offset)))
    index += size
  }
}

/** A directory with a journal alone. */
export const writeMany = async (count: number, fileSize: number): Promise<string> => {
  const dir = await newDirectory()
  const journal = await openSmallFiles(dir, fileSize)
  await journal.release()
  await appendMany(journal, count)
  await journal.close()
  return dir
}

export type Wanted = Omit<Filter, 'groups'>

const equals = ['stage', 'principal', 'changeID', 'kind', 'agentGroupID'] as const

/** The judgement of the search, by hand, newest first. */
export const naive = (lines: readonly AuditEntry[], wanted: Wanted, groups?: readonly string[]): AuditEntry[] =>
  lines
    .filter(
      (line) =>
        equals.every((name) => wanted[name] === undefined || wanted[name] === line[name]) &&
        (wanted.since === undefined || Date.parse(line.time) >= Date.parse(wanted.since)) &&
        (wanted.until === undefined || Date.parse(line.time) < Date.parse(wanted.until)) &&
        (groups === undefined || (line.agentGroupID !== undefined && groups.includes(line.agentGroupID))),
    )
    .toReversed()
