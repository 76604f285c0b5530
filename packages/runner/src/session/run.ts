// State of one sandbox run, from the preparation of its launch to its end, and the state machine of a session.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { AgentGroup, MessageID, SessionID, sessionStates } from '@gatehouse/contracts'

/** Why the host ends a sandbox. */
export const stopReasons = ['idle', 'relaunch', 'narrowed', 'drain', 'park', 'unresponsive', 'terminate', 'cancel'] as const
export type StopReason = (typeof stopReasons)[number]

export interface Run {
  /** Name of the sandbox. */
  readonly id: string
  /** Resolves when the host wants the end. */
  readonly ended: Promise<StopReason>
  /** Aborts at that moment. */
  readonly signal: AbortSignal
  end(why: StopReason): void
  /** To be ended when it is idle; until then nothing new is delivered. */
  leaving: StopReason | undefined
  /** Its group when it was prepared, and how many changes of it were applied; undefined before that. */
  basis: { readonly group: AgentGroup; readonly applied: number } | undefined
  /** Delivered to this sandbox and not acknowledged. */
  readonly delivered: Set<MessageID>
  /** Requests on its socket that are being answered, long polls apart. */
  busy: number
  /** It has acknowledged something: it works. */
  proved: boolean
  /** Ends the long poll that waits. */
  poll: AbortController | undefined
  /** Ends it busy or not. */
  deadline: NodeJS.Timeout | undefined
  /** Where the disk of its group is mounted; undefined where it has none. */
  disk: string | undefined
  /** Limits of its group that stopped it. */
  readonly limitsReached: Set<string>
  /** It has asked for something. */
  heard: boolean
  /** It has started, because it made a request, or has ended. */
  started(): void
  /** Called at each request of the sandbox. */
  touch(): void
}

export const createRun = (session: SessionID): Run => {
  const { promise, resolve } = Promise.withResolvers<StopReason>()
  const controller = new AbortController()
  const run: Run = {
    id: `${session}-${randomBytes(3).toString('hex')}`,
    ended: promise,
    signal: controller.signal,
    end(why) {
      resolve(why)
      controller.abort()
    },
    leaving: undefined,
    basis: undefined,
    delivered: new Set(),
    busy: 0,
    proved: false,
    poll: undefined,
    deadline: undefined,
    disk: undefined,
    limitsReached: new Set(),
    heard: false,
    started() {},
    touch() {
      run.heard = true
    },
  }
  return run
}

/** Ends a sandbox that is to leave, if nothing is in its hands. Called whenever something left them. */
export const settle = (run: Run | undefined): void => {
  if (run?.leaving !== undefined && run.delivered.size === 0 && run.busy === 0) run.end(run.leaving)
}

/** Ends it when it is idle, which may be now. */
export const leave = (run: Run, why: StopReason): void => {
  if (run.leaving !== 'drain') run.leaving = why
  settle(run)
}

/** The states of a session and the only ways between them. */
export type SessionState = (typeof sessionStates)[number]

/** `open`: the sandbox asked for work. `rest`: nothing is to be done. `fail`: it is tried again later. `resume`: by a human. */
export type Step = 'launch' | 'open' | 'stop' | 'fail' | 'rest' | 'park' | 'resume'

const steps: Readonly<Record<SessionState, Partial<Record<Step, SessionState>>>> = {
  idle: { launch: 'launching', park: 'parked' },
  launching: { open: 'live', stop: 'stopping', fail: 'backoff', rest: 'idle', park: 'parked' },
  live: { stop: 'stopping', fail: 'backoff', rest: 'idle', park: 'parked' },
  backoff: { launch: 'launching', rest: 'idle', park: 'parked' },
  stopping: { launch: 'launching', fail: 'backoff', rest: 'idle', park: 'parked' },
  parked: { resume: 'idle' },
}

export const move = (session: { state: SessionState }, step: Step): void => {
  const next = steps[session.state][step]
  assert.ok(next !== undefined, `a session that is ${session.state} cannot ${step}`)
  session.state = next
}
