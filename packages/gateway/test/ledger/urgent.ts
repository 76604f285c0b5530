// The acts that never wait: done all at once, and what is to be seen of them in memory, in the database and in the journal.
import { type AuditEntry, isServiceError } from '@gatehouse/contracts'
import { sha256, waitFor } from '@gatehouse/kernel'
import { deferredStages } from '../../src/ledger/deferred.ts'
import { type Stage, stages, urgent } from '../faults/operations.ts'
import { read, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { context, type Unit } from '../fixtures/unit.ts'

export const names = Object.keys(urgent)

/** Of each act whether what it takes away is gone. */
export type Gone = Readonly<Record<string, boolean>>
export const allGone: Gone = Object.fromEntries(names.map((name) => [name, true]))

export const doAll = (unit: Unit, stage: Stage): Promise<unknown> => Promise.all(names.map(async (name) => urgent[name]?.(unit, stage)))

const isNobody = async ({ gateway }: Unit, minted: string): Promise<boolean> => {
  try {
    await gateway.controlPlane.pending({ token: sha256(minted), limit: 1 }, context)
    return false
  } catch (error) {
    return isServiceError(error) && error.code === 'unauthorized'
  }
}

/** As the gateway answers. */
export const gone = async (unit: Unit, { held, session, minted }: Stage): Promise<Gone> => ({
  freeze: (await unit.gateway.controlPlane.freezes({ token }, context)).items.length > 0,
  reject: (await read(unit, held[1])).state === 'rejected',
  terminate: !(await unit.gateway.runner.sessions({}, context)).some(({ id }) => id === session),
  'revoke a token': await isNobody(unit, minted),
})

/** As the database has it. */
export const goneForGood = async ({ store }: Pick<Unit, 'store'>, { held, session }: Stage): Promise<Gone> => {
  const count = async (sql: string, values: string[] = []): Promise<number> => (await store.read.all(sql, values)).length
  return {
    freeze: (await count('SELECT scope FROM freezes')) === 1,
    reject: (await count(`SELECT id FROM changes WHERE state = 'rejected' AND id = ?`, [held[1]])) === 1,
    terminate: (await count('SELECT id FROM sessions WHERE closed_at IS NOT NULL AND id = ?', [session])) === 1,
    'revoke a token': (await count(`SELECT name FROM tokens WHERE name = 'ann'`)) === 0,
  }
}

export const keptLines = async ({ store }: Pick<Unit, 'store'>): Promise<number> =>
  (await store.read.all('SELECT number FROM late_lines')).length

/** Their lines in the journal. */
export const urgentLines = async (unit: Pick<Unit, 'journal'>): Promise<AuditEntry[]> =>
  (await audit(unit)).filter(({ stage }) => [...deferredStages].some((late) => late === stage))

export const stageOf = (name: string): string => stages[name] ?? ''
export const everyStage = names.map(stageOf).toSorted()
export const stagesOf = (entries: readonly AuditEntry[]): string[] => entries.map(({ stage }) => stage).toSorted()

export const healthOf = ({ gateway }: Unit) => gateway.supervisor.health({}, context)

/** Nobody acts: it comes back by itself. */
export const becomesWhole = (unit: Unit): Promise<unknown> =>
  waitFor(async () => (await healthOf(unit)).status === 'ready' && (await keptLines(unit)) === 0, { what: 'the gateway to be whole again' })
