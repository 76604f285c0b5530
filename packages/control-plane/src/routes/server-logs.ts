// What a local tool server wrote to its stderr: permitted by the gateway, kept by the broker.
import { limits, type ServerLogs, type ServerName, ServiceError } from '@gatehouse/contracts'
import type { Context } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { Sequence } from './page.ts'

export const LogsQuery = v.strictObject({
  /** `next` of an earlier answer. */
  after: v.optional(Sequence),
  limit: v.optional(v.pipe(Sequence, v.minValue(1), v.maxValue(limits.serverLogLines)), '200'),
})

interface Asked extends v.InferOutput<typeof LogsQuery> {
  readonly name: ServerName
}

export const readLogs = async (c: Context<Env>, { name, ...query }: Asked): Promise<ServerLogs> => {
  const { unit, token, call } = c.var
  const { gateway, broker } = unit.peers
  if (broker === null) throw new ServiceError('mcp-disabled')
  await gateway.permit({ token, route: 'logs' }, call)
  const known = await gateway.server({ token, name }, call)
  return broker.logs({ name: known.name, ...query }, call)
}
