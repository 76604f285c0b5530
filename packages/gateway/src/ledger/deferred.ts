// Records of acts that took effect before they could be journaled. Only acts that remove access are deferred.
import { randomUUID } from 'node:crypto'
import { AuditEntry, type AuditStage, auditStages, Time } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import type { Rows, Transaction } from '@gatehouse/store'
import * as v from 'valibot'

export const deferredStages: ReadonlySet<AuditStage> = new Set(['reject', 'freeze', 'terminate', 'token-revoke'])

const Line = v.strictObject({
  id: v.string(),
  /** When the act took effect. */
  at: Time,
  input: v.strictObject({
    ...v.omit(AuditEntry, ['seq', 'time', 'prev', 'hash']).entries,
    stage: v.picklist(auditStages),
    detail: v.record(v.string(), v.unknown()),
  }),
})
type Line = v.InferOutput<typeof Line>

export interface DeferredLine extends Line {
  /** The database holds its effect and its record. */
  stored: boolean
}

export const makeDeferred = (input: JournalInput, at: Date): DeferredLine => ({
  id: randomUUID(),
  at: at.toISOString(),
  // Normalized as if read back, so the effect is the same now and later.
  input: v.parse(Line.entries.input, JSON.parse(JSON.stringify(input))),
  stored: false,
})

/** The record to append when the journal can be written again. */
export const deferredInput = ({ id, at, input }: DeferredLine): JournalInput => ({
  ...input,
  detail: { ...input.detail, late: { at, id } },
})

/** The record as an entry without a position in the journal. */
export const deferredEntry = (late: DeferredLine): AuditEntry =>
  v.parse(v.object({ ...Line.entries.input.entries, seq: v.number(), time: Time, prev: v.string(), hash: v.string() }), {
    ...deferredInput(late),
    seq: 0,
    time: late.at,
    prev: '',
    hash: '',
  })

const Mark = v.strictObject({ at: Time, id: v.string() })

export interface Deferred {
  readonly id: string
  /** The entry as if it had been journaled when it took effect. */
  readonly entry: AuditEntry
}

/** Undefined for a record that was journaled when it took effect. */
export const deferredOf = (entry: AuditEntry): Deferred | undefined => {
  if (!('late' in entry.detail)) return undefined
  const { late, ...detail } = entry.detail
  const mark = v.safeParse(Mark, late)
  return mark.success ? { id: mark.output.id, entry: { ...entry, time: mark.output.at, detail } } : undefined
}

export const readDeferred = async (rows: Rows): Promise<DeferredLine[]> =>
  (await rows.all<{ line: string }>('SELECT line FROM late_lines ORDER BY number')).map(({ line }) => ({
    ...v.parse(Line, JSON.parse(line)),
    stored: true,
  }))

export const insertDeferred = async (tx: Transaction, { id, at, input }: DeferredLine): Promise<void> => {
  await tx.run('INSERT INTO late_lines (id, line) VALUES (?, ?) ON CONFLICT (id) DO NOTHING', [id, JSON.stringify({ id, at, input })])
}

/** Removes a record that is in the journal now. */
export const removeDeferred = async (tx: Transaction, id: string): Promise<void> => {
  await tx.run('DELETE FROM late_lines WHERE id = ?', [id])
}
