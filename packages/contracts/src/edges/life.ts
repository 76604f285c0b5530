// Health and metrics of every process for the supervisor, and the calls of the control plane to the supervisor.
import * as v from 'valibot'
import { call, defineEdge } from '../edge.ts'
import { AgentGroupID, SessionID } from '../ids.ts'
import { limits } from '../limits.ts'

const minPassphrase = 12

const Recipient = v.pipe(v.string(), v.regex(/^age1[a-z0-9]{10,4000}$/, 'expected a recipient such as age1…'))

const Passphrase = v.pipe(
  v.string(),
  v.minLength(minPassphrase, `expected a passphrase of at least ${minPassphrase} characters`),
  v.maxLength(1024, 'expected a passphrase of at most 1024 characters'),
)

/** Either recipients or a passphrase: age does not accept both. */
export const BackupOrder = v.union(
  [
    v.strictObject({ recipients: v.pipe(v.array(Recipient), v.minLength(1, 'at least one recipient is required'), v.maxLength(20)) }),
    v.strictObject({ passphrase: Passphrase }),
  ],
  'expected recipients such as age1… or a passphrase',
)
export type BackupOrder = v.InferOutput<typeof BackupOrder>

export const Health = v.strictObject({
  status: v.picklist(['ready', 'degraded', 'failed']),
  /** Names of degraded parts, while the process still serves. */
  degraded: v.array(v.string()),
  /** Details for people, such as the driver, counts and the reason of a refusal. */
  facts: v.record(v.string(), v.unknown()),
})
export type Health = v.InferOutput<typeof Health>

/** The result of `getMetricsAsJSON` of prom-client. */
const Metrics = v.array(v.record(v.string(), v.unknown()))

const life = {
  health: call(v.strictObject({}), Health, { deadline: 1_000 }),
  metrics: call(v.strictObject({}), Metrics, { deadline: 2_000, large: true, patient: true }),
}

export const services = ['gateway', 'broker', 'model-proxy', 'runner', 'channels', 'control-plane'] as const
export type Service = (typeof services)[number]

export const lifeEdge = (server: Service) => defineEdge({ server, caller: 'supervisor', calls: life, events: {} })

/** Calls of a backup to the runner, to pause the queues while they are copied. */
export const runnerBackup = defineEdge({
  server: 'runner',
  caller: 'backup',
  calls: {
    /** Sessions whose queues were used since the last call. */
    touched: call(v.strictObject({}), v.strictObject({ sessions: v.array(SessionID) }), { patient: true, large: true }),
    hold: call(v.strictObject({}), v.strictObject({ hold: v.string(), sessions: v.array(SessionID) }), { patient: true, large: true }),
    /**
     * Mounts the disks of groups so that their files can be read. `closed` lists groups whose disk cannot be mounted and whose
     * files are only in their image. Throws `unavailable` if a group has no image either. No group moves to another disk until
     * `reading` has ended.
     */
    openDisks: call(v.strictObject({}), v.strictObject({ closed: v.array(AgentGroupID), reading: v.string() }), {
      patient: true,
      large: true,
      deadline: limits.probeTime,
    }),
    /** Keeps the reading alive, which otherwise times out. `still`: no group moved since it began. */
    keepDisks: call(v.strictObject({ reading: v.string() }), v.strictObject({ still: v.boolean() }), { patient: true }),
    leaveDisks: call(v.strictObject({ reading: v.string() }), v.strictObject({}), { patient: true }),
    /** `still`: nothing was written in between. */
    release: call(v.strictObject({ hold: v.string() }), v.strictObject({ still: v.boolean() }), { patient: true }),
  },
  events: {},
})

const BackupID = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))

export const ProcessState = v.strictObject({
  name: v.string(),
  pid: v.optional(v.number()),
  /** `unresponsive`: it runs and was ready, but did not answer the health check in time. */
  state: v.picklist(['starting', 'ready', 'unresponsive', 'down', 'stopping']),
  restarts: v.number(),
  /** RFC 3339; when the present process became ready. */
  since: v.optional(v.string()),
})
export type ProcessState = v.InferOutput<typeof ProcessState>

export const supervisorControlPlane = defineEdge({
  server: 'supervisor',
  caller: 'control-plane',
  calls: {
    health: call(v.strictObject({}), v.strictObject({ processes: v.array(ProcessState), services: v.record(v.string(), Health) }), {
      deadline: 2_000,
    }),
    metrics: call(v.strictObject({}), v.record(v.string(), Metrics), { deadline: 3_000, large: true }),
    /** Starts a backup by copying the state. The gateway authorizes it in advance. */
    backup: call(BackupOrder, v.strictObject({ id: BackupID, name: v.string() }), { deadline: limits.backupTime }),
    /** The next encrypted bytes in base64; null at the end. */
    readBackup: call(v.strictObject({ id: BackupID }), v.strictObject({ bytes: v.nullable(v.string()) }), {
      deadline: limits.backupIdle,
      large: true,
    }),
    /** Ends a backup and deletes its copies. */
    endBackup: call(v.strictObject({ id: BackupID }), v.strictObject({}), { patient: true }),
  },
  events: {},
})
