// The runner: sessions, their sandboxes and their queues. Each handler delegates to one use case.
import { EventEmitter } from 'node:events'
import { realpath } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type gatewayRunner,
  type HostIdentity,
  limits,
  type OutboundSettings,
  type runnerBackup,
  type RunnerBoot,
  type runnerBroker,
  type runnerChannels,
  type runnerControlPlane,
  stateFiles,
} from '@gatehouse/contracts'
import { proveSeal } from '@gatehouse/engine'
import { abortable, type Logger, type Metrics, privateDirectory, wallTime } from '@gatehouse/kernel'
import type { EdgeClient, EventListeners, Handlers, LifeHandlers } from '@gatehouse/rpc'
import { backupDoor } from './backup.ts'
import { channelHandlers } from './channels/handlers.ts'
import { messages, send } from './chat.ts'
import { fileHandlers } from './file-handlers.ts'
import { Uploads } from './files/uploads.ts'
import { gatewayEvents } from './gateway-events.ts'
import { GroupDisks } from './groups/disks.ts'
import { health } from './health.ts'
import { verifyImage } from './image/verify.ts'
import type { Leftovers } from './leftovers/leftovers.ts'
import { createPackageEvidence } from './packages/evidence.ts'
import type { TreePlace } from './packages/room.ts'
import { clearUnfinished, Trees } from './packages/trees.ts'
import { findQueues } from './queue/find.ts'
import { QueuePool } from './queue/pool.ts'
import { createSequence, readHighWater } from './queue/sequence.ts'
import { createSweeper } from './removed-groups.ts'
import type { Choose, SandboxStatusOptions } from './sandbox/state.ts'
import { createSandboxStatus, type SandboxStatus } from './sandbox/posture.ts'
import { createRecord } from './sandbox/seal.ts'
import { openSocket } from './session-socket/routes.ts'
import { stopReasons } from './session/run.ts'
import { cancel, drain, purge, resume, terminate } from './sessions/lifecycle.ts'
import { runnerLimits } from './sessions/end.ts'
import { createReconciler } from './sessions/reconcile.ts'
import { list, loadSessions } from './sessions/registry.ts'
import { highestSeq, startRetention, logs } from './sessions/retention.ts'
import { ensureAllRunning } from './sessions/supervise.ts'
import { type Context, defaultTimes, type Times } from './state/context.ts'
import { DeadLetters } from './state/dead-letters.ts'
import { IdempotencyIndex } from './state/idempotency-index.ts'
import { LaunchSlots } from './state/launch-slots.ts'
import { createNote, createReport } from './state/notes.ts'
import { Throttling } from './state/throttling.ts'
import { WriteGate } from './state/write-gate.ts'
import type { ToolContainers } from './tool-containers/containers.ts'

export interface GatewayListeners {
  readonly on: EventListeners<typeof gatewayRunner>
  readonly onConnect: () => void
}

export interface RunnerOptions extends Pick<RunnerBoot, 'mode' | 'image' | 'imageKey' | 'identities' | 'groupDisks' | 'halves'> {
  readonly unitId: string
  readonly leftovers: Leftovers
  readonly stateDir: string
  readonly runDir: string
  /** Key under which the keys of the queues are sealed. */
  readonly wrapping: Buffer
  readonly sandbox: RunnerBoot['sandbox']
  readonly rootfs: string
  /** First host identity for sandboxes, which no session has; null where the unit is not root. */
  readonly identities: HostIdentity | null
  readonly mountAllow: readonly string[]
  /** Milliseconds that messages are kept; absent: for ever. */
  readonly chatRetention?: number | undefined
  /** Where packages come from. */
  readonly registry: string
  readonly ownAddress: string
  readonly outbound: OutboundSettings
  readonly chooseDriver: Choose
  readonly toolContainers?: ToolContainers | undefined
  /** The client of the gateway, which survives lost connections. */
  connect(listeners: GatewayListeners): Pick<EdgeClient<typeof gatewayRunner>, 'calls' | 'close'>
  readonly log: Logger
  readonly metrics: Metrics
  readonly times?: Partial<Times>
  /** Sandboxes that are being started at once; default: by the processors of the host. */
  readonly launchesAtOnce?: number | undefined
}

export interface Runner {
  readonly controlPlane: Handlers<typeof runnerControlPlane>
  readonly channels: Handlers<typeof runnerChannels>
  /** Called when a message may be ready for a channel. */
  onOutbox(tell: () => void): void
  /** Undefined where local tool servers do not run in containers. */
  readonly broker: Handlers<typeof runnerBroker> | undefined
  readonly life: LifeHandlers
  readonly backup: Handlers<typeof runnerBackup>
  /** Ends every sandbox, then releases the queues. Resolves with whether nothing of the unit is left. */
  stop(): Promise<boolean>
}

const nothing = (): Record<string, never> => ({})

const prepareDirectories = async ({ stateDir, runDir }: RunnerOptions): Promise<void> => {
  for (const name of [stateFiles.queues, stateFiles.keys, stateFiles.groups, stateFiles.packages])
    await privateDirectory(`${stateDir}/${name}`)
  await clearUnfinished(stateDir)
  for (const name of ['session', 'way', 'mnt']) await privateDirectory(`${runDir}/${name}`, 0o711)
  await privateDirectory(`${runDir}/engine`)
}

interface Assembled {
  readonly context: Context
  readonly gateway: ReturnType<RunnerOptions['connect']>
}

const times = (options: RunnerOptions): Times => ({ ...defaultTimes, ...options.times })

const launchSlots = (options: RunnerOptions): LaunchSlots =>
  new LaunchSlots({
    places: options.launchesAtOnce ?? limits.launchesPerProcessor * availableParallelism(),
    keptMost: times(options).launchPlace,
    onWaiting: (waiting) => options.metrics.gauge('sandbox_launches_waiting').set(waiting),
  })

/** The admission limits. */
const admissionLimits = (options: RunnerOptions): Pick<Context, 'uploads' | 'launches' | 'writeGate' | 'throttling'> => ({
  uploads: new Uploads(options.stateDir),
  launches: launchSlots(options),
  throttling: new Throttling(options),
  writeGate: new WriteGate({ few: limits.receiptsAtOnce, longest: limits.receiptsFirst }),
})

const packagesOf = (options: RunnerOptions, base: Pick<TreePlace, 'gateway' | 'posture' | 'closing'>) => {
  const { registry, ownAddress, outbound } = options
  const place: TreePlace = { ...options, ...base, registry: { registry, ownAddress, outbound }, treeTime: times(options).tree }
  return { trees: new Trees(place), witnessTree: createPackageEvidence(place) }
}

/** As the kernel names what is mounted there. */
const groupsOf = ({ stateDir }: Pick<RunnerOptions, 'stateDir'>): Promise<string> => realpath(`${stateDir}/${stateFiles.groups}`)

/** Without a key every image is taken that its digest names. */
const verifyingOf = ({ imageKey: key, ownAddress, outbound }: RunnerOptions): ((image: string) => Promise<void>) =>
  key === null ? async () => undefined : (image) => verifyImage(image, { key, ownAddress, outbound })

const postureOf = (
  options: RunnerOptions,
  base: Pick<SandboxStatusOptions, 'groups' | 'closing' | 'record' | 'onReady'>,
): SandboxStatus => {
  const { sandbox: wanted, chooseDriver: choose, runDir } = options
  const { postureFirst: first, postureMost: most } = times(options)
  return createSandboxStatus({
    ...options,
    ...base,
    retry: { first, most },
    wanted,
    choose,
    proveSeal,
    home: `${runDir}/engine`,
    verifyImage: verifyingOf(options),
  })
}

const placeOf = ({
  runDir,
  halves,
  leftovers,
}: RunnerOptions): Pick<Context, 'runDir' | 'surfaces' | 'isSplit' | 'leftovers' | 'openSocket'> => ({
  runDir,
  leftovers,
  openSocket,
  surfaces: halves?.control ?? runDir,
  isSplit: halves !== undefined,
})

/** Queues first, so that nothing is heard of a session before it is known what waits for it. */
const assemble = async (options: RunnerOptions, closing: AbortSignal): Promise<Assembled> => {
  const { unitId, stateDir, wrapping, log, metrics, mountAllow } = options
  const queues = { stateDir, wrapping, log }
  const [found, floors, groups] = [await findQueues(queues), await readHighWater(stateDir), await groupsOf(options)]
  const gateway = options.connect({ on: gatewayEvents(() => context), onConnect: () => (reconcile(), sweep()) })
  const record = createRecord({ gateway: gateway.calls, log, closing })
  const posture = postureOf(options, { groups, closing, record, onReady: () => ensureAllRunning(context) })
  const context: Context = {
    unitId,
    stateDir,
    ...placeOf(options),
    log,
    metrics,
    closing,
    floors,
    mountAllow,
    posture,
    gateway: gateway.calls,
    sessions: new Map(),
    unreadable: new Map(),
    queuePool: new QueuePool(queues),
    sequence: createSequence((group) => highestSeq(context, group)),
    closed: new Set(),
    repeats: new IdempotencyIndex(),
    deadLetters: new DeadLetters(),
    outbox: new EventEmitter(),
    ...admissionLimits(options),
    ...packagesOf(options, { gateway: gateway.calls, posture, closing }),
    note: createNote(gateway.calls, log),
    report: createReport({ gateway: gateway.calls, log, closing }),
    since: wallTime(),
    disks: new GroupDisks({ groups, log, closing }),
    toolContainers: options.toolContainers,
    times: times(options),
  }
  const reconcile = createReconciler(context)
  const sweep = createSweeper(context)
  loadSessions(context, found)
  return { context, gateway }
}

/** Of the time for a drain: what comes after it has the rest. */
const clearTime = limits.drainTime * 0.6

/** Whether nothing of the unit is left. A proof of the seal that runs ends first. Whoever waits for longer than a drain may take closes nothing. */
const clear = async ({ leftovers, posture, log }: Context, since: number): Promise<boolean> => {
  const late = AbortSignal.timeout(Math.max(1, Math.round(since + clearTime - performance.now())))
  const isClear = await abortable(
    leftovers.clear(() => posture.clear(), late),
    late,
  ).catch(() => false)
  if (!isClear) log.warn('not everything of this unit has ended: its next start removes what is left')
  return isClear
}

/** Nothing runs and nothing is mounted any more when it resolves with true. */
const release = async (context: Context): Promise<boolean> => {
  const since = performance.now()
  await Promise.all([context.toolContainers?.close(), ...[...context.sessions.values()].map((session) => drain(context, session))])
  await context.uploads.close()
  await context.queuePool.close()
  const isClear = await clear(context, since)
  await context.disks.close()
  await Promise.race([context.note.settled(), pause(context.times.grace)])
  return isClear
}

const showFromTheStart = (metrics: Metrics): void => {
  metrics.touch('deliveries_total', { channel: 'console', outcome: 'ok' })
  for (const reason of [...stopReasons, 'out-of-memory', 'out-of-processes']) metrics.touch('sandbox_kills_total', { reason })
  for (const limit of runnerLimits) metrics.touch('group_limit_reached_total', { limit })
}

const lifeOf = (context: Context): Runner['life'] => ({
  health: () => health(context),
  metrics: () => {
    context.throttling.measure()
    return context.metrics.json()
  },
})

export const createRunner = async (options: RunnerOptions): Promise<Runner> => {
  const closing = new AbortController()
  await prepareDirectories(options)
  const { context, gateway } = await assemble(options, closing.signal)
  showFromTheStart(options.metrics)
  if (options.chatRetention !== undefined) void startRetention(context, options.chatRetention)
  return {
    controlPlane: {
      send: (params) => send(context, params),
      messages: (params) => messages(context, params),
      sessions: (params) => list(context, params),
      terminate: ({ session }) => terminate(context, session).then(nothing),
      resume: ({ session }) => resume(context, session).then(nothing),
      cancel: ({ session }) => cancel(context, session).then(nothing),
      purge: ({ session }) => purge(context, session).then(nothing),
      logs: ({ session, limit }) => logs(context, session, limit),
      ...fileHandlers(context),
      posture: () => context.posture.status(),
      proveSeal: () => context.posture.prove(),
    },
    channels: channelHandlers(context),
    onOutbox: (tell) => void context.outbox.on('message', tell),
    broker: options.toolContainers?.handlers,
    life: lifeOf(context),
    backup: backupDoor(context),
    async stop() {
      closing.abort()
      const isClear = await release(context)
      gateway.close()
      return isClear
    },
  }
}
