// The initial group of `--dev` and `--demo`: the only group that no change created. Journaled.
import { AgentGroup, type Mode } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'
import type { Ledger } from './ledger/ledger.ts'
import type { Projection, Projections } from './ledger/projection.ts'
import { systemActor } from './state/change-records.ts'
import { emptyRegistry, writeEffect } from './state/effects.ts'
import { readGroup } from './state/unit-config.ts'

const SeedDetail = v.strictObject({
  /** Identifies the start of the unit. */
  unit: v.string(),
  /** Whether all groups and grants were removed first. */
  emptied: v.boolean(),
  group: v.nullable(AgentGroup),
})

const seeded: Projection = async (tx, entry) => {
  const { unit, emptied, group } = v.parse(SeedDetail, entry.detail)
  if (emptied) await emptyRegistry(tx)
  if (group !== null) await writeEffect(tx, { type: 'group', group })
  await tx.run('UPDATE sessions SET closed_at = ? WHERE closed_at IS NULL AND agent_group_id NOT IN (SELECT id FROM groups)', [entry.time])
  await tx.run('INSERT INTO seeded (one, unit) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET unit = excluded.unit', [unit])
}

export const seedProjections: Projections = { seed: seeded }

export interface SeedOptions {
  readonly mode: Mode
  readonly group: string | null
  /** Identifies the start of the unit; different at the next start. */
  readonly unit: string
  readonly at: string
}

const createGroup = (id: string, at: string): AgentGroup =>
  v.parse(AgentGroup, { id, name: id, agent: 'mock', persona: '', createdAt: at, origin: 'seed' })

/** Resets a `--dev` unit at each start of the unit, but not when only the gateway process restarts. */
export const seed = async ({ ledger, rows }: { ledger: Ledger; rows: Rows }, { mode, group: id, unit, at }: SeedOptions): Promise<void> => {
  const last = await rows.get<{ unit: string }>('SELECT unit FROM seeded WHERE one = 1')
  if (last?.unit === unit) return
  const emptied = mode === 'dev'
  const missing = id !== null && (emptied || (await readGroup(rows, id)) === undefined)
  if (!emptied && !missing) return
  const group = missing ? createGroup(id, at) : null
  await ledger.commit([
    { stage: 'seed', ...systemActor, ...(group === null ? {} : { agentGroupID: group.id }), detail: { unit, emptied, group } },
  ])
}
