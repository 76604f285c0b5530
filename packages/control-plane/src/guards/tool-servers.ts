// On a unit without tool servers their routes say so, and nothing else.
import { ServiceError } from '@gatehouse/contracts'
import type { MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'

export const toolServersGuard: MiddlewareHandler<Env> = async (c, next) => {
  if (c.var.unit.boot.mcp !== null) return next()
  throw new ServiceError('mcp-disabled', {
    detail: 'expected a unit with tool servers, got one that was started without --mcp-catalog',
    hint: 'start the unit with --mcp-catalog <path>',
  })
}
