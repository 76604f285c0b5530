// A probe: permitted by the gateway, done by the broker, given up when the client goes.
import { type ProbeResult, ServiceError, type ServerName } from '@gatehouse/contracts'
import type { Context } from 'hono'
import type { Env } from '../env.ts'

export const probeServer = async (c: Context<Env>, name: ServerName): Promise<ProbeResult> => {
  const { unit, token, call } = c.var
  const { gateway, broker } = unit.peers
  if (broker === null) throw new ServiceError('mcp-disabled')
  await gateway.permit({ token, route: 'probe' }, call)
  const known = await gateway.server({ token, name }, call)
  return broker.probe({ name: known.name }, { ...call, signal: c.req.raw.signal })
}
