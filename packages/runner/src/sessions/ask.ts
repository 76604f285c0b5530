// Asks the gateway what a session is now, and keeps in mind whether anything may be launched for it.
import type { gatewayRunner, Result } from '@gatehouse/contracts'
import type { Context } from './context.ts'
import type { Session } from './session.ts'

export type Registered = Result<typeof gatewayRunner, 'session'>

/** Undefined when it was asked again meanwhile: the later answer is the one that counts. */
export const ask = async ({ gateway }: Context, session: Session, signal?: AbortSignal): Promise<Registered | undefined> => {
  session.asked += 1
  const { asked } = session
  const registered = await gateway.session({ session: session.id }, { signal })
  if (asked !== session.asked) return undefined
  session.frozen = registered.frozen
  return registered
}
