// Local tool servers in containers. The runner starts them for the broker, because only the runner can use the engine.
import * as v from 'valibot'
import { ImageID, Volume } from '../catalog.ts'
import { call, defineEdge } from '../edge.ts'
import { ServerName, SessionID } from '../ids.ts'
import { dictionary } from '../json.ts'
import { limits } from '../limits.ts'
import { ServerImage } from '../registry.ts'

const ContainerName = v.pipe(v.string(), v.regex(/^gatehouse-tool-[a-z0-9_-]{1,80}$/, 'expected the name of a tool server container'))

/** Identifies a broker process. Containers of an earlier broker end when a new one begins. */
const Broker = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))

export const ContainerOrder = v.strictObject({
  broker: Broker,
  server: ServerName,
  /** Set if each session has its own container and data directory. */
  session: v.optional(SessionID),
  command: v.string(),
  args: v.array(v.string()),
  /** Empty for the default image of the unit. */
  image: v.string(),
  imageID: v.optional(ImageID),
  /** Expanded values. They are passed in the environment of the engine and not stored. */
  env: dictionary(v.string(), v.string()),
  volumes: v.array(Volume),
  data: v.boolean(),
})
export type ContainerOrder = v.InferOutput<typeof ContainerOrder>

/** Reasons why no container is started. */
const containerRefusals = ['no-engine', 'no-image', 'image-missing', 'variable', 'volume'] as const

export const ContainerStart = v.variant('started', [
  v.strictObject({
    started: v.literal(true),
    container: ContainerName,
    /** Connect twice: first for the messages, then for the stderr of the server. */
    socket: v.string(),
    image: ServerImage,
  }),
  v.strictObject({ started: v.literal(false), reason: v.picklist(containerRefusals), detail: v.string() }),
])
export type ContainerStart = v.InferOutput<typeof ContainerStart>

const One = v.strictObject({ container: ContainerName })

export const runnerBroker = defineEdge({
  server: 'runner',
  caller: 'broker',
  calls: {
    begin: call(v.strictObject({ broker: Broker }), v.strictObject({}), { patient: true, deadline: limits.probeTime }),
    start: call(ContainerOrder, ContainerStart, { patient: true, deadline: limits.probeTime, large: true }),
    /** Resolves when the container does not exist. */
    stop: call(One, v.strictObject({}), { patient: true, deadline: limits.toolStopTime + 5_000 }),
    /** Resolves with the exit code of the engine's client once it has exited; null if unknown. */
    ended: call(One, v.strictObject({ code: v.nullable(v.number()) }), { deadline: 5_000 }),
  },
  events: {},
})
