// Around all guards: who asked too much is told so after a while. A refusal that takes no time is asked for as often as a processor
// can give it, and that processor is missed by everybody else.
import { limits } from '@gatehouse/contracts'
import type { MiddlewareHandler } from 'hono'
import type { Env } from '../env.ts'

export const holdGuard =
  (wait: (milliseconds: number) => Promise<void>): MiddlewareHandler<Env> =>
  async (c, next) => {
    await next()
    if (c.res.status === 429) await wait(limits.refusalHold)
  }
