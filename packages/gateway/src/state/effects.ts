// The rows that an applied change writes. Idempotent; groups, grants and wirings are written only here.
import { AgentGroup, AgentGroupID, canonicalAddress, Channel, Grant, ServerName, Time, Wired } from '@gatehouse/contracts'
import type { Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import { Sealed } from '../secrets.ts'

export const Effect = v.variant('type', [
  v.strictObject({ type: v.literal('group'), group: AgentGroup }),
  /** Its grants and wirings go with it, and its sessions end. */
  v.strictObject({ type: v.literal('group-removed'), agentGroupID: AgentGroupID, at: Time }),
  v.strictObject({ type: v.literal('grant'), grant: Grant }),
  v.strictObject({ type: v.literal('wired'), wired: Wired }),
  v.strictObject({ type: v.literal('unwired'), channel: Channel, address: v.string() }),
  /** Its values are sealed. The entry is missing in records of earlier versions, which wrote the catalog file first. */
  v.strictObject({ type: v.literal('entry'), name: ServerName, entry: v.optional(Sealed) }),
])
export type Effect = v.InferOutput<typeof Effect>

const writeGroup = (tx: Transaction, group: AgentGroup): Promise<unknown> =>
  tx.run('INSERT INTO groups (id, record) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record', [
    group.id,
    JSON.stringify(group),
  ])

const removeGroup = async (tx: Transaction, agentGroupID: string, at: string): Promise<void> => {
  for (const table of ['grants', 'call_counts', 'wirings']) await tx.run(`DELETE FROM ${table} WHERE agent_group_id = ?`, [agentGroupID])
  await tx.run('UPDATE sessions SET closed_at = ? WHERE agent_group_id = ? AND closed_at IS NULL', [at, agentGroupID])
  await tx.run('DELETE FROM groups WHERE id = ?', [agentGroupID])
}

export const writeGrant = (tx: Transaction, grant: Grant): Promise<unknown> =>
  tx.run(
    `INSERT INTO grants (agent_group_id, server, record) VALUES (?, ?, ?)
     ON CONFLICT (agent_group_id, server) DO UPDATE SET record = excluded.record`,
    [grant.agentGroupID, grant.server, JSON.stringify(grant)],
  )

/** Records of earlier versions may contain addresses that are not canonical. */
const canonical = <T extends Pick<Wired, 'channel' | 'address'>>(place: T): T => ({
  ...place,
  address: canonicalAddress(place.channel, place.address),
})

const writeWired = (tx: Transaction, wired: Wired): Promise<unknown> =>
  tx.run(
    `INSERT INTO wirings (channel, address, agent_group_id, record) VALUES (?, ?, ?, ?)
     ON CONFLICT (channel, address) DO UPDATE SET agent_group_id = excluded.agent_group_id, record = excluded.record`,
    [wired.channel, wired.address, wired.agentGroupID, JSON.stringify(wired)],
  )

export const writeEffect = async (tx: Transaction, effect: Effect): Promise<void> => {
  switch (effect.type) {
    case 'group':
      await writeGroup(tx, effect.group)
      return
    case 'group-removed':
      await removeGroup(tx, effect.agentGroupID, effect.at)
      return
    case 'grant':
      await writeGrant(tx, effect.grant)
      return
    case 'wired':
      await writeWired(tx, canonical(effect.wired))
      return
    case 'unwired':
      await tx.run('DELETE FROM wirings WHERE channel = ? AND address = ?', [effect.channel, canonical(effect).address])
      return
    case 'entry':
    // Written by the projection, which knows the number of the record.
  }
}

/** Removes all groups, grants and wirings, for a `--dev` start. */
export const emptyRegistry = async (tx: Transaction): Promise<void> => {
  for (const table of ['grants', 'call_counts', 'wirings', 'groups']) await tx.run(`DELETE FROM ${table}`)
}
