// What an applied change writes: whole rows, so that writing them twice is writing them once.
// Groups and grants are written here and nowhere else.
import { AgentGroup, Grant } from '@gatehouse/contracts'
import type { Transaction } from '@gatehouse/store'
import * as v from 'valibot'

export const Effect = v.variant('type', [
  v.strictObject({ type: v.literal('group'), group: AgentGroup }),
  v.strictObject({ type: v.literal('grant'), grant: Grant }),
])
export type Effect = v.InferOutput<typeof Effect>

export const writeEffect = async (tx: Transaction, effect: Effect): Promise<void> => {
  if (effect.type === 'group') {
    await tx.run('INSERT INTO groups (id, record) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record', [
      effect.group.id,
      JSON.stringify(effect.group),
    ])
    return
  }
  await tx.run(
    `INSERT INTO grants (agent_group_id, server, record) VALUES (?, ?, ?)
     ON CONFLICT (agent_group_id, server) DO UPDATE SET record = excluded.record`,
    [effect.grant.agentGroupID, effect.grant.server, JSON.stringify(effect.grant)],
  )
}

/** What `--dev` does at each start of the unit. Sessions of groups that are gone end with them. */
export const emptyRegistry = async (tx: Transaction): Promise<void> => {
  await tx.run('DELETE FROM grants')
  await tx.run('DELETE FROM groups')
}
