// The supervisor's door into every process, and the control plane's door into the supervisor: how it goes, in two calls.
import * as v from 'valibot'
import { call, defineEdge } from '../edge.ts'
import { AgentGroupID, SessionID } from '../ids.ts'
import { limits } from '../limits.ts'

/** Who may open a backup: the holders of identities, or of a passphrase. */
const passphraseLeast = 12

const Recipient = v.pipe(v.string(), v.regex(/^age1[a-z0-9]{10,4000}$/, 'expected a recipient such as age1…'))

const Passphrase = v.pipe(
  v.string(),
  v.minLength(passphraseLeast, `expected a passphrase of at least ${passphraseLeast} characters`),
  v.maxLength(1024, 'expected a passphrase of at most 1024 characters'),
)

/** Never both: age wants one or the other. */
export const BackupOrder = v.union(
  [
    v.strictObject({ recipients: v.pipe(v.array(Recipient), v.minLength(1, 'expected a recipient'), v.maxLength(20)) }),
    v.strictObject({ passphrase: Passphrase }),
  ],
  'expected recipients such as age1…, or a passphrase',
)
export type BackupOrder = v.InferOutput<typeof BackupOrder>

export const Health = v.strictObject({
  status: v.picklist(['ready', 'degraded', 'failed']),
  /** Names of what is broken while the process still serves. */
  degraded: v.array(v.string()),
  /** Facts for people: driver, counts, the reason of a refusal. */
  facts: v.record(v.string(), v.unknown()),
})
export type Health = v.InferOutput<typeof Health>

/** A registry as `getMetricsAsJSON` of prom-client gives it. */
const Metrics = v.array(v.record(v.string(), v.unknown()))

const life = {
  health: call(v.strictObject({}), Health, { deadline: 1_000 }),
  metrics: call(v.strictObject({}), Metrics, { deadline: 2_000, large: true, patient: true }),
}

export const services = ['gateway', 'broker', 'model-proxy', 'runner', 'channels', 'control-plane'] as const
export type Service = (typeof services)[number]

export const lifeEdge = (server: Service) => defineEdge({ server, caller: 'supervisor', calls: life, events: {} })

/** The supervisor's other door into the runner: holds the queues still while a backup copies those that are written to. */
export const runnerBackup = defineEdge({
  server: 'runner',
  caller: 'backup',
  calls: {
    /** Sessions whose queues were used since the last time. */
    touched: call(v.strictObject({}), v.strictObject({ sessions: v.array(SessionID) }), { patient: true, large: true }),
    hold: call(v.strictObject({}), v.strictObject({ hold: v.string(), sessions: v.array(SessionID) }), { patient: true, large: true }),
    /**
     * Mounts the disks of groups, so that their files can be read. `closed`: those that cannot be, whose files are in their images alone.
     * `unavailable` where a group has no image either. No group moves to another disk from then on, until `reading` has ended.
     */
    openDisks: call(v.strictObject({}), v.strictObject({ closed: v.array(AgentGroupID), reading: v.string() }), {
      patient: true,
      large: true,
      deadline: limits.probeTime,
    }),
    /** It goes on; without this word it has ended after a while. `still`: no group moved since it began. */
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
    /** Takes down what the archive will hold. The gateway has permitted it beforehand. */
    backup: call(BackupOrder, v.strictObject({ id: BackupID, name: v.string() }), { deadline: limits.backupTime }),
    /** The next bytes in base64, already encrypted; none after the last ones. */
    readBackup: call(v.strictObject({ id: BackupID }), v.strictObject({ bytes: v.nullable(v.string()) }), {
      deadline: limits.backupIdle,
      large: true,
    }),
    /** Gives up what was taken down. */
    endBackup: call(v.strictObject({ id: BackupID }), v.strictObject({}), { patient: true }),
  },
  events: {},
})
