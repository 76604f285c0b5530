// Tracks applied changes until a sandbox of the session that has them makes its first request.
import type { ChangeID, gatewayRunner, Params } from '@gatehouse/contracts'
import { removeRollout, storeRollout } from '../queue/notes.ts'
import { leave, type Run } from '../session/run.ts'
import type { Session } from '../session/session.ts'
import type { Context } from '../state/context.ts'
import { withQueue } from './queue-access.ts'

type Said = Omit<Params<typeof gatewayRunner, 'condition'>, 'session'>

/** One after another for a session, so that a later word is never overtaken by an earlier one. */
const tell = (context: Context, session: Session, said: Said): Promise<boolean> => {
  const told = session.telling.then(() => context.report({ session: session.id, ...said }))
  session.telling = told
  return told
}

const ended = ({ parked }: Session, changeID: ChangeID): Said =>
  parked === undefined ? { changeID, status: 'ready' } : { changeID, status: 'failed', reason: parked }

type Keep = (session: Session, changeID: ChangeID) => Promise<void>

/** A status that cannot be stored is still reported by this process. */
const keepBy =
  (context: Context, act: typeof storeRollout): Keep =>
  async (session, changeID) => {
    if (!session.hasQueue || session.parked !== undefined) return
    await withQueue(context, session, (store) => act(store, changeID)).catch((error: unknown) =>
      context.log.warn('could not store the rollout status of a change', { session: session.id, changeID, error }),
    )
  }

/** Why its next sandbox would not have what this change gives; undefined where it would. */
const obstacle = async (context: Context, session: Session, changeID: ChangeID): Promise<string | undefined> => {
  // A gateway that is away says nothing about the packages: the next launch sees to them.
  const asked = await context.gateway.session({ session: session.id }).catch(() => undefined)
  const packages = asked?.group.packages
  if (packages?.changeID !== changeID) return undefined
  try {
    await context.trees.have(packages)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown error'
  }
}

/** Packages are there before anybody needs them. */
const tellIdle = async (context: Context, session: Session, changeID: ChangeID): Promise<void> => {
  const reason = session.parked ?? (await obstacle(context, session, changeID))
  await tell(context, session, reason === undefined ? { changeID, status: 'ready' } : { changeID, status: 'failed', reason })
}

/** Where nothing runs the next launch is up to date once it has its packages. */
export const trackRollout = (context: Context, session: Session, changeID: ChangeID): void => {
  if (session.parked !== undefined || (session.run === undefined && session.keeping === undefined)) {
    void tellIdle(context, session, changeID)
    return
  }
  session.owed.set(changeID, session.run)
  session.telling = session.telling.then(() => keepBy(context, storeRollout)(session, changeID))
  void tell(context, session, { changeID, status: 'pending' })
}

/** After a gateway came back. */
export const resendRollout = (context: Context, session: Session): void => {
  for (const changeID of session.owed.keys()) void tell(context, session, { changeID, status: 'pending' })
}

const conclude = async (context: Context, session: Session, changeID: ChangeID): Promise<void> => {
  const told = await tell(context, session, ended(session, changeID))
  if (told) await keepBy(context, removeRollout)(session, changeID)
}

/** `by`: the sandbox that has just made its first request. Without it nothing runs for this session any more. */
export const completeRollout = (context: Context, session: Session, by?: Run): void => {
  for (const [changeID, before] of session.owed) {
    if (by !== undefined && by === before) continue
    session.owed.delete(changeID)
    void conclude(context, session, changeID)
  }
}

/** A session without a sandbox needs nothing: its next launch is up to date. One that is frozen would lose its own for none. */
export const relaunch = ({ times }: Context, session: Session, options: { narrowing: boolean }): void => {
  const { run } = session
  if (run === undefined) return
  if (session.frozen) {
    if (session.stale !== 'narrowed') session.stale = options.narrowing ? 'narrowed' : 'changed'
    return
  }
  if (options.narrowing) run.deadline ??= setTimeout(() => run.end('narrowed'), times.narrowing)
  leave(run, 'relaunch')
}
