// What all acts on sessions share.
import type { EventEmitter } from 'node:events'
import { type AgentGroupID, type gatewayRunner, limits, type SessionID } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { DeadLetters } from '../channels/dead-letters.ts'
import type { GroupDisks } from '../groups/disks.ts'
import type { Repeats } from '../chat/repeats.ts'
import type { Uploads } from '../files/uploads.ts'
import type { Trees } from '../packages/trees.ts'
import type { TreeWitness } from '../packages/witness.ts'
import type { Floors } from '../queue/floors.ts'
import type { Sequence } from '../queue/sequence.ts'
import type { Shelf } from '../queue/shelf.ts'
import type { Leftovers } from '../leftovers/leftovers.ts'
import type { Posture } from '../sandbox/posture.ts'
import type { ToolContainers } from '../tool-containers/containers.ts'
import type { LaunchSlots } from './launch-slots.ts'
import type { Note } from './note.ts'
import type { Receipts } from './receipts.ts'
import type { Report } from './report.ts'
import type { Session } from './session.ts'

/** Milliseconds. */
export const defaultTimes = {
  surfaces: limits.connectTime,
  launch: limits.launchTime,
  launchPlace: limits.launchPlaceTime,
  idle: limits.idleStop,
  /** The end of a sandbox takes time too, and must come before that of the promise. */
  narrowing: limits.narrowingTime - limits.connectTime / 2,
  failureWindow: limits.failureWindow,
  restartFirst: limits.restartFirst,
  restartMost: limits.restartMost,
  tree: limits.treeTime,
  postureFirst: limits.postureRetryFirst,
  postureMost: limits.postureRetryMost,
  /** Files of a group that is gone are kept so long. */
  removed: limits.removedFilesTime,
  /** Between two looks for such files. */
  sweep: limits.removedFilesSweep,
  /** What a drain gives a sandbox that is in the middle of a message; short, since an orphaned runner has a second in all. */
  grace: 250,
}
export type Times = { readonly [Name in keyof typeof defaultTimes]: number }

export interface Context {
  readonly unitId: string
  readonly stateDir: string
  readonly runDir: string
  /** Runtime directory of whoever serves the sockets of tools and models: another one in a split unit. */
  readonly surfaces: string
  readonly isSplit: boolean
  readonly gateway: Calls<typeof gatewayRunner>
  readonly posture: Posture
  /** Undefined where local tool servers do not run in containers. */
  readonly toolContainers: ToolContainers | undefined
  readonly leftovers: Leftovers
  readonly shelf: Shelf
  readonly sequence: Sequence
  /** Numbers that were given to messages which are no more. */
  readonly floors: Floors
  readonly sessions: Map<SessionID, Session>
  /** Queues that could not be read at start. */
  readonly unreadable: Map<SessionID, string>
  /** Sessions that the gateway has closed for good. */
  readonly closed: Set<SessionID>
  readonly repeats: Repeats
  /** `message`: something may be there for a channel to deliver. */
  readonly outbox: EventEmitter<{ message: [] }>
  readonly deadLetters: DeadLetters
  readonly uploads: Uploads
  readonly disks: GroupDisks
  readonly launches: LaunchSlots
  readonly receipts: Receipts
  readonly trees: Trees
  readonly witnessTree: TreeWitness
  /** Host paths below which a mount may lie. */
  readonly mountAllow: readonly string[]
  readonly note: Note
  readonly report: Report
  /** When this runner began, RFC 3339. */
  readonly since: string
  readonly log: Logger
  readonly metrics: Metrics
  readonly times: Times
  /** Aborts when the runner stops. */
  readonly closing: AbortSignal
}

export const sessionsOf = (context: Pick<Context, 'sessions'>, group: AgentGroupID): Session[] =>
  [...context.sessions.values()].filter(({ agentGroupID }) => agentGroupID === group)
