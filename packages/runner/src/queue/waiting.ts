// How many messages the agent has not acknowledged.
import type { Rows } from '@gatehouse/store'

export const waitingIn = async (rows: Rows): Promise<number> => {
  const row = await rows.get<{ waiting: number }>("SELECT count(*) AS waiting FROM messages WHERE direction = 'in' AND acked = 0")
  return row?.waiting ?? 0
}
