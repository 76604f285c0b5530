// Runs one sandbox: prepares, launches, watches and ends it. A failing sandbox never throws.
import { rm } from 'node:fs/promises'
import { MessageID } from '@gatehouse/contracts'
import type { Sandbox } from '@gatehouse/engine'
import * as v from 'valibot'
import { describeFull } from '../groups/directories.ts'
import { createRun, move, type Run, type StopReason } from '../session/run.ts'
import type { Session } from '../session/session.ts'
import type { Context } from '../state/context.ts'
import { countLimit, describeExit, type End, endOfPreparation, limitBehind } from './end.ts'
import { postMessage } from './post-message.ts'
import { prepare, type Prepared } from './prepare.ts'
import { park } from './queue-access.ts'
import { completeRollout } from './rollout.ts'

/** The clocks of one sandbox: it must ask for work soon after its launch, and is stopped when it has long had none. */
interface Watched {
  readonly run: Run
  readonly driver: string
  /** When the launch began, on the clock of `performance`. */
  readonly since: number
  /** Rejects when it sees something else of the host than it was to see. */
  readonly verify: () => Promise<unknown>
}

/** Begins with the launch; returns what ends it. */
const watch = (context: Context, session: Session, { run, driver, since, verify }: Watched): (() => void) => {
  const { times, metrics } = context
  const first = setTimeout(() => run.end('unresponsive'), times.launch)
  const idle = setTimeout(() => {
    if (session.waiting === 0 && run.busy === 0) run.end('idle')
    else idle.refresh()
  }, times.idle)
  run.touch = () => {
    run.touch = () => idle.refresh()
    clearTimeout(first)
    run.started()
    idle.refresh()
    // By now everything is mounted: what was exchanged in between is seen here.
    verify().catch((error: unknown) => park(context, session, error instanceof Error ? error.message : 'unknown error'))
    completeRollout(context, session, run)
    if (session.state !== 'launching') return
    move(session, 'open')
    metrics.histogram('sandbox_launch_duration_seconds').observe({ driver }, (performance.now() - since) / 1000)
  }
  if (run.heard) run.touch()
  return () => {
    run.touch = () => undefined
    clearTimeout(first)
    clearTimeout(idle)
  }
}

export interface RunResult {
  readonly end: End
  /** It acknowledged something before its end. */
  readonly proved: boolean
}

const follow = async ({ log }: Context, session: Session, { sandbox, id }: { sandbox: Sandbox; id: string }): Promise<void> => {
  for await (const line of sandbox.output) {
    session.output.add(id, line)
    log.debug('sandbox output', { session: session.id, line })
  }
}

/** Tells the conversation why the agent stopped. */
const tellKill = async (context: Context, session: Session, run: string): Promise<void> => {
  const text = `The agent was stopped: ${session.lastExit ?? 'it used more than it may'}. What it was working on is tried again.`
  await postMessage(context, session, { id: v.parse(MessageID, `s-${run}-killed`), from: 'system', text })
}

/** By itself, while the host wanted it to go on. */
const endedItself = async (context: Context, session: Session, { sandbox, run }: { sandbox: Sandbox; run: Run }): Promise<End> => {
  const exit = await sandbox.exited
  const limit = limitBehind(exit)
  const isKill = limit !== undefined
  // Whoever cannot write ends for reasons of its own.
  const full = isKill || exit.code === 0 ? undefined : await describeFull(run.disk)
  session.lastExit = full ?? describeExit(exit)
  const reached = full === undefined ? limit : 'workspaceMiB'
  if (isKill) context.metrics.counter('sandbox_kills_total').inc({ reason: exit.reason })
  if (reached !== undefined) countLimit(context, run, reached)
  if (isKill || full !== undefined) {
    await tellKill(context, session, run.id).catch((error: unknown) =>
      context.log.warn('could not report the end of a sandbox', { session: session.id, error }),
    )
  }
  context.note(isKill ? 'kill' : 'exit', session, { ...exit, ...(full === undefined ? {} : { disk: 'full' }) })
  return exit.code === 0 && session.waiting === 0 ? { kind: 'finished' } : { kind: 'failed', reason: session.lastExit }
}

/** Ends that do not wait for a quiet moment. */
const kills: readonly StopReason[] = ['narrowed', 'unresponsive', 'terminate', 'cancel']

const endedByHost = async (context: Context, session: Session, { sandbox, why }: { sandbox: Sandbox; why: StopReason }): Promise<End> => {
  move(session, 'stop')
  const exit = await sandbox.stop()
  session.lastExit = `stopped: ${why}`
  context.metrics.counter('sandbox_kills_total').inc({ reason: why })
  context.note(kills.includes(why) ? 'kill' : 'exit', session, { ...exit, why })
  if (why === 'unresponsive') return { kind: 'failed', reason: `it asked for nothing within ${context.times.launch / 1000} s` }
  return { kind: 'stopped', why }
}

const live = async (context: Context, session: Session, { sandbox, ...watched }: Watched & { sandbox: Sandbox }): Promise<End> => {
  const { run, driver } = watched
  const alive = context.metrics.gauge('sandbox_live')
  const unwatch = watch(context, session, watched)
  alive.inc()
  context.throttling.add(sandbox)
  session.launches += 1
  context.note('launch', session, { sandbox: run.id, driver })
  follow(context, session, { sandbox, id: run.id }).catch((error: unknown) =>
    context.log.warn('sandbox output lost', { session: session.id, error }),
  )
  try {
    const why = await Promise.race([sandbox.exited.then(() => undefined), run.ended])
    return why === undefined ? await endedItself(context, session, { sandbox, run }) : await endedByHost(context, session, { sandbox, why })
  } catch (error) {
    await sandbox.stop()
    throw error
  } finally {
    unwatch()
    alive.dec()
    context.throttling.remove(sandbox)
  }
}

const launch = async ({ metrics }: Context, { driver, spec }: Prepared): Promise<Sandbox | End> => {
  const launches = metrics.counter('sandbox_launches_total')
  try {
    const sandbox = await driver.launch(spec)
    launches.inc({ driver: driver.name, outcome: 'ok' })
    return sandbox
  } catch (error) {
    launches.inc({ driver: driver.name, outcome: 'failed' })
    return { kind: 'failed', reason: error instanceof Error ? error.message : 'unknown error' }
  }
}

/** No place is taken while the seal is being proved: all would be let through together after it. */
const createSerialQueue = async (context: Context, session: Session, run: Run): Promise<Prepared> => {
  const engaged = await context.posture.engaged(run.signal)
  run.started = await context.launches.take(session.agentGroupID, run.signal)
  await context.writeGate.calm(run.signal)
  return prepare(context, session, { run, engaged })
}

const attempt = async (context: Context, session: Session, run: Run): Promise<End> => {
  const prepared = await createSerialQueue(context, session, run).catch((error: unknown) => endOfPreparation(error))
  if ('kind' in prepared) return run.signal.aborted ? { kind: 'stopped', why: await run.ended } : prepared
  try {
    if (run.signal.aborted) return { kind: 'stopped', why: await run.ended }
    if (session.frozen) return { kind: 'postponed', reason: 'it is frozen' }
    const since = performance.now()
    const launched = await launch(context, prepared)
    if ('kind' in launched) return launched
    return await live(context, session, { run, sandbox: launched, driver: prepared.driver.name, since, verify: prepared.verify })
  } finally {
    await prepared.socket.close()
  }
}

export const runSandbox = async (context: Context, session: Session): Promise<RunResult> => {
  move(session, 'launch')
  const run = createRun(session.id)
  session.run = run
  session.stale = undefined
  try {
    return { end: await attempt(context, session, run), proved: run.proved }
  } finally {
    clearTimeout(run.deadline)
    run.started()
    context.trees.release(run.id)
    context.disks.release(run.id)
    await rm(`${context.runDir}/mnt/${run.id}`, { recursive: true, force: true })
    session.run = undefined
  }
}
