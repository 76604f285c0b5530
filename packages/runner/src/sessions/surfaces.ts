// Waits until every service that the session is to have has made its socket.
import { once } from 'node:events'
import { type gatewayRunner, type Result, ServiceError } from '@gatehouse/contracts'
import type { Context } from './context.ts'
import type { Session } from './session.ts'

type Registered = Result<typeof gatewayRunner, 'session'>

/** The session and its group as the gateway has them; `unavailable` when a surface is late. */
export const surfacesReady = async ({ gateway, times }: Context, session: Session, signal: AbortSignal): Promise<Registered> => {
  const waiting = new AbortController()
  const giveUp = (): void => waiting.abort()
  const late = setTimeout(giveUp, times.surfaces)
  signal.addEventListener('abort', giveUp, { signal: waiting.signal })
  try {
    for (;;) {
      const told = once(session.news, 'surface', { signal: waiting.signal }).then(
        () => true,
        () => false,
      )
      const registered = await gateway.session({ session: session.id }, { signal })
      const { expected, reported } = registered.session
      const missing = expected.filter((surface) => !reported.includes(surface))
      if (missing.length === 0) return registered
      if (!(await told))
        throw new ServiceError('unavailable', { detail: `No service has reported ${missing.join(', ')} for session ${session.id}.` })
    }
  } finally {
    clearTimeout(late)
    waiting.abort()
  }
}
