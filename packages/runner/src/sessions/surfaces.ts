// Waits until every service that the session is to have has made its socket.
import { once } from 'node:events'
import { ServiceError } from '@gatehouse/contracts'
import { ask, type Registered } from './ask.ts'
import type { Context } from './context.ts'
import type { Session } from './session.ts'

/** The session and its group as the gateway has them; `unavailable` when a surface is late, `frozen` while nothing may be launched. */
export const surfacesReady = async (context: Context, session: Session, signal: AbortSignal): Promise<Registered> => {
  const waiting = new AbortController()
  const giveUp = (): void => waiting.abort()
  const late = setTimeout(giveUp, context.times.surfaces)
  signal.addEventListener('abort', giveUp, { signal: waiting.signal })
  try {
    for (;;) {
      const told = once(session.news, 'surface', { signal: waiting.signal }).then(
        () => true,
        () => false,
      )
      const registered = await ask(context, session, signal)
      if (registered === undefined) continue
      if (registered.frozen) throw new ServiceError('frozen', { detail: 'it is frozen' })
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
