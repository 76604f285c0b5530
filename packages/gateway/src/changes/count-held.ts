// How many changes wait for a decision, of those that a principal sees. Reads no change.
import type { Principal } from '@gatehouse/contracts'
import type { ReadDeps } from './read.ts'

interface IdRow {
  readonly id: string
}

/** As the list of those that wait shows them. */
export const countHeld = async ({ store, overlay }: ReadDeps, { groups }: Pick<Principal, 'groups'>): Promise<number> => {
  const held = `SELECT id FROM changes WHERE state = 'held'`
  const rows =
    groups === undefined
      ? await store.read.all<IdRow>(held, [])
      : await store.read.all<IdRow>(`${held} AND agent_group_id IN (SELECT value FROM json_each(?))`, [JSON.stringify(groups)])
  return rows.filter(({ id }) => !overlay.has(id)).length
}
