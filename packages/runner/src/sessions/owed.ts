// How far applied changes have come in a session: `pending` until a sandbox that knows them has made its first request.
import type { ChangeID, gatewayRunner, Params } from '@gatehouse/contracts'
import { forgetOwed, noteOwed } from '../queue/owed.ts'
import type { Context } from './context.ts'
import type { Run } from './run.ts'
import type { Session } from './session.ts'
import { withQueue } from './with-queue.ts'

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

/** What cannot be kept is still told by this process. */
const keepBy =
  (context: Context, act: typeof noteOwed): Keep =>
  async (session, changeID) => {
    if (!session.hasQueue || session.parked !== undefined) return
    await withQueue(context, session, (store) => act(store, changeID)).catch((error: unknown) =>
      context.log.warn('condition of a change not kept', { session: session.id, changeID, error }),
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
export const owe = (context: Context, session: Session, changeID: ChangeID): void => {
  if (session.parked !== undefined || (session.run === undefined && session.keeping === undefined)) {
    void tellIdle(context, session, changeID)
    return
  }
  session.owed.set(changeID, session.run)
  session.telling = session.telling.then(() => keepBy(context, noteOwed)(session, changeID))
  void tell(context, session, { changeID, status: 'pending' })
}

/** After a gateway came back. */
export const oweAgain = (context: Context, session: Session): void => {
  for (const changeID of session.owed.keys()) void tell(context, session, { changeID, status: 'pending' })
}

const conclude = async (context: Context, session: Session, changeID: ChangeID): Promise<void> => {
  const told = await tell(context, session, ended(session, changeID))
  if (told) await keepBy(context, forgetOwed)(session, changeID)
}

/** `by`: the sandbox that has just made its first request. Without it nothing runs for this session any more. */
export const settleOwed = (context: Context, session: Session, by?: Run): void => {
  for (const [changeID, before] of session.owed) {
    if (by !== undefined && by === before) continue
    session.owed.delete(changeID)
    void conclude(context, session, changeID)
  }
}
