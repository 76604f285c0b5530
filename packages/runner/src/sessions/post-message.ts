// Posts messages of the agent or the host to the conversation, with their files.
import { randomUUID } from 'node:crypto'
import { type InboxMessage, isServiceError, limits, MessageID } from '@gatehouse/contracts'
import { wallTime } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { withSentFiles } from '../files/read.ts'
import { describeFull } from '../groups/directories.ts'
import { isRepeat, type Outgoing, reply } from '../queue/accept.ts'
import type { Attached } from '../queue/copies.ts'
import type { Run } from '../session/run.ts'
import type { Session } from '../session/session.ts'
import { type Context, withDisk } from '../state/context.ts'
import { countLimit } from './end.ts'
import { checkDisk, checkAttachmentQuota, checkShare, appendWithSequence, withQueue } from './queue-access.ts'

interface OutgoingText extends Omit<Outgoing, 'seq' | 'at' | 'attachment'> {
  readonly files?: readonly Attached[] | undefined
}

const count = (context: Context, session: Session, { stored, bytes }: { readonly stored: boolean; readonly bytes: number }): void => {
  const { delivery, lastSeq } = session
  if (delivery === undefined) {
    if (stored) context.metrics.counter('deliveries_total').inc({ channel: 'console', outcome: 'ok' })
    return
  }
  // Also where it was said before: the first word may have been kept without anybody having heard so.
  delivery.said = Math.max(delivery.said, lastSeq)
  if (stored) {
    delivery.waiting += 1
    delivery.held += bytes
  }
  context.outbox.emit('message')
}

/** Whoever talks to an agent that falls silent learns why; not waited for, since its turn comes after this one. */
const tellMute = (context: Context, session: Session): void => {
  if (session.muteTold) return
  session.muteTold = true
  const most = Math.round(limits.queueBytesByGroup / 1024 ** 2)
  const text = `The agent can say nothing more: the conversations of its group take ${most} MiB on the disk of the unit, the most they may. It goes on when old messages are forgotten, or closed sessions are purged with svcctl session purge.`
  postMessage(context, session, { id: v.parse(MessageID, `s-${randomUUID()}`), from: 'system', text }).catch((error: unknown) =>
    context.log.warn('could not report that an agent cannot send', { session: session.id, error }),
  )
}

/** What is kept already is answered as ever. */
const admit = async (
  context: Context,
  session: Session,
  { store, message }: { readonly store: Store; readonly message: Pick<Outgoing, 'id' | 'from'> },
): Promise<void> => {
  try {
    await checkDisk(context)
    checkShare(context, session.agentGroupID)
    session.muteTold = false
  } catch (error) {
    if (await isRepeat(store.read, message)) return
    if (isServiceError(error) && error.code === 'queue-full') tellMute(context, session)
    throw error
  }
}

/** False when the same id was said before. */
export const postMessage = async (context: Context, session: Session, { files = [], ...message }: OutgoingText): Promise<boolean> => {
  const at = wallTime()
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const { stored } = await appendWithSequence(context, session, async (store, seq) => {
    // Asked in the turn of the group, in which a channel may have brought its first message just before.
    const areCopied = session.delivery !== undefined
    if (areCopied && files.length > 0) await checkAttachmentQuota(context, session, bytes)
    if (message.from === 'agent') await admit(context, session, { store, message })
    return reply(store, { ...message, seq, at, ...(files.length > 0 && { attachment: { files, areCopied } }) })
  })
  count(context, session, { stored, bytes })
  return stored
}

/** One after another for a group. The files of what was said before are not looked at again: they may be gone by now. */
export const postMessageWithFiles = (
  context: Context,
  session: Session,
  { paths, ...message }: Omit<OutgoingText, 'files'> & { readonly paths: readonly string[] },
): Promise<boolean> =>
  withDisk(context, session.agentGroupID, async () => {
    const isKnown = await withQueue(context, session, (store) => isRepeat(store.read, message))
    if (isKnown) return postMessage(context, session, message)
    const { stateDir } = context
    const { agentGroupID } = session
    return withSentFiles({ stateDir, agentGroupID, paths }, (files) => postMessage(context, session, { ...message, files }))
  })

/** An agent whose disk is full goes on, and forgets what it meant to keep: whoever talks to it is told, once for each sandbox. */
export const reportFullDisk = async (context: Context, session: Session, run: Run): Promise<void> => {
  const full = await describeFull(run.disk)
  if (full === undefined) return
  countLimit(context, run, 'workspaceMiB')
  const text = `The agent can write nothing more: ${full}. It goes on when files are deleted, or with a larger limit workspaceMiB.`
  await postMessage(context, session, { id: v.parse(MessageID, `s-${run.id}-full`), from: 'system', text })
}

/** A message that an earlier runner accepted may have been handed out by it, at the earliest when it came. */
export const recordHandout = ({ since }: Pick<Context, 'since'>, { handed }: Session, { id, at }: InboxMessage): void => {
  if (!handed.has(id)) handed.set(id, at < since ? at : wallTime())
}

export const recordAcknowledged = ({ handed }: Session, id: MessageID): void => void handed.delete(id)

/** When the first message that is not acknowledged was first handed to a sandbox; undefined when there is none. */
export const turnSince = ({ handed }: Session): string | undefined => [...handed.values()].toSorted()[0]
