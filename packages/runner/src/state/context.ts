// Dependencies that all operations on sessions share, constructed once.
import type { EventEmitter } from 'node:events'
import { type AgentGroupID, type gatewayRunner, limits, type SessionID, type SessionInfo } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { Uploads } from '../files/uploads.ts'
import type { GroupDisks } from '../groups/disks.ts'
import type { Leftovers } from '../leftovers/leftovers.ts'
import type { PackageEvidence } from '../packages/evidence.ts'
import type { Trees } from '../packages/trees.ts'
import type { QueuePool } from '../queue/pool.ts'
import type { SequenceHighWater, Sequence } from '../queue/sequence.ts'
import type { SandboxStatus } from '../sandbox/posture.ts'
import type { Run } from '../session/run.ts'
import type { Session } from '../session/session.ts'
import type { ToolContainers } from '../tool-containers/containers.ts'
import type { DeadLetters } from './dead-letters.ts'
import type { IdempotencyIndex } from './idempotency-index.ts'
import type { LaunchSlots } from './launch-slots.ts'
import type { Note, Report } from './notes.ts'
import type { Throttling } from './throttling.ts'
import type { WriteGate } from './write-gate.ts'

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

/** Serves one sandbox on the socket of its session. */
export interface SessionSocket {
  /** Closes all connections. */
  close(): Promise<void>
}

export interface Context {
  readonly unitId: string
  readonly stateDir: string
  readonly runDir: string
  /** Runtime directory of whoever serves the sockets of tools and models: another one in a split unit. */
  readonly surfaces: string
  readonly isSplit: boolean
  readonly gateway: Calls<typeof gatewayRunner>
  readonly posture: SandboxStatus
  /** Undefined where local tool servers do not run in containers. */
  readonly toolContainers: ToolContainers | undefined
  readonly leftovers: Leftovers
  readonly queuePool: QueuePool
  readonly sequence: Sequence
  /** Numbers that were given to messages which are no more. */
  readonly floors: SequenceHighWater
  readonly sessions: Map<SessionID, Session>
  /** Queues that could not be read at start. */
  readonly unreadable: Map<SessionID, string>
  /** Sessions that the gateway has closed for good. */
  readonly closed: Set<SessionID>
  readonly repeats: IdempotencyIndex
  /** `message`: something may be there for a channel to deliver. */
  readonly outbox: EventEmitter<{ message: [] }>
  readonly deadLetters: DeadLetters
  readonly uploads: Uploads
  readonly disks: GroupDisks
  readonly launches: LaunchSlots
  readonly throttling: Throttling
  readonly writeGate: WriteGate
  readonly trees: Trees
  readonly witnessTree: PackageEvidence
  /** Host paths below which a mount may lie. */
  readonly mountAllow: readonly string[]
  /** `gid`: the group of the sandbox; undefined where the sandbox runs as the unit itself. */
  readonly openSocket: (caller: Caller, gid: number | undefined) => Promise<SessionSocket>
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

/** Files of a group for people: its disk is mounted while they are looked at. */
export const withDisk = async <T>(context: Context, group: AgentGroupID, act: () => Promise<T>): Promise<T> => {
  const disks = await context.posture.disks(context.closing).catch(() => undefined)
  return context.disks.lend(disks, group, act)
}

/** Who calls is the socket that the call came by; no header is looked at. */
export interface Caller {
  readonly context: Context
  readonly session: Session
  readonly run: Run
  /** The session and its group as they were at the launch. */
  readonly info: SessionInfo
}
