// Handles events of the gateway. Never rejects: no caller waits for an event, and missed state is fetched
// at the next connection.
import type { BigIntStats } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import type { AgentGroupID, gatewayRunner, MountSighting } from '@gatehouse/contracts'
import { retryOnce, wallTime } from '@gatehouse/kernel'
import type { EventListeners } from '@gatehouse/rpc'
import { sweepRemovedGroups } from './removed-groups.ts'
import { terminate } from './sessions/lifecycle.ts'
import { reportDecision } from './sessions/receive.ts'
import { reconsider } from './sessions/reconcile.ts'
import { relaunch, trackRollout } from './sessions/rollout.ts'
import { type Context, sessionsOf } from './state/context.ts'

const typeOf = (found: BigIntStats): NonNullable<MountSighting['type']> => {
  if (found.isDirectory()) return 'directory'
  if (found.isFile()) return 'file'
  return found.isSocket() ? 'socket' : 'other'
}

/** Undefined where there is nothing that can be reached, or where it moved while it was looked at. */
const look = async (source: string): Promise<Omit<MountSighting, 'source' | 'at'> | undefined> => {
  const real = await realpath(source)
  // No link is left in `real`, so a link that is found there now was put there since.
  const found = await lstat(real, { bigint: true })
  if (found.isSymbolicLink() || (await realpath(source)) !== real) return undefined
  return {
    real,
    type: typeOf(found),
    device: String(found.dev),
    inode: String(found.ino),
    owner: Number(found.uid),
    mode: (Number(found.mode) & 0o7777).toString(8),
  }
}

/** Never rejects: an inaccessible path is reported as not found. */
export const inspectMount = async (source: string): Promise<MountSighting> => {
  const seen = await look(source).catch(() => undefined)
  return { source, at: wallTime(), ...seen }
}

/** Reports host paths to the gateway. */
const reportMounts = async ({ gateway }: Pick<Context, 'gateway'>, sources: readonly string[]): Promise<void> => {
  const mounts = await Promise.all(sources.map(inspectMount))
  await retryOnce(() => gateway.sighted({ mounts }))
}

/** Without containers nothing is run by an image, so nothing is said of any. */
const reportImages = async ({ gateway, toolContainers }: Pick<Context, 'gateway' | 'toolContainers'>, images: readonly string[]) => {
  const seen = (await toolContainers?.sight(images)) ?? images.map((image) => ({ image }))
  await retryOnce(() => gateway.imagesSighted({ images: seen }))
}

/** Its sessions are closed by events of their own, which may come later. */
const groupRemoved = async (context: Context, group: AgentGroupID): Promise<void> => {
  for (const session of sessionsOf(context, group)) await terminate(context, session.id)
  await sweepRemovedGroups(context)
}

/** `context` is asked for at each event, since the client that hears them is part of it. */
export const gatewayEvents = (context: () => Context): EventListeners<typeof gatewayRunner> => {
  const begin = (what: string, fields: object, act: Promise<unknown>): void => {
    act.catch((error: unknown) => context().log.warn(what, { ...fields, error }))
  }
  const openSessions = () => [...context().sessions.values()].filter(({ open }) => open)
  return {
    'surface-ready': ({ session }) => context().sessions.get(session)?.news.emit('surface'),
    'group-changed': ({ agentGroupID, changeID, narrowing }) => {
      begin('could not remove unused packages', {}, context().trees.sweep())
      for (const session of sessionsOf(context(), agentGroupID).filter(({ open }) => open)) {
        trackRollout(context(), session, changeID)
        relaunch(context(), session, { narrowing })
      }
    },
    'group-removed': ({ agentGroupID }) =>
      begin('could not move the files of a removed group aside', { agentGroupID }, groupRemoved(context(), agentGroupID)),
    'freeze-changed': () => {
      for (const session of openSessions()) begin('could not check a session', { session: session.id }, reconsider(context(), session))
    },
    'packages-wanted': ({ names }) => begin('could not resolve packages', { names }, context().witnessTree(names)),
    'mounts-wanted': ({ sources }) => begin('could not report host paths', { sources }, reportMounts(context(), sources)),
    'images-wanted': ({ images }) => begin('could not report images', { images }, reportImages(context(), images)),
    'session-closed': ({ session }) => begin('could not close a session', { session }, terminate(context(), session)),
    'change-decided': ({ session: id, ...decision }) => {
      const session = context().sessions.get(id)
      if (session === undefined) return
      begin('could not report a decision yet', { session: id, changeID: decision.id }, reportDecision(context(), session, decision))
    },
  }
}
