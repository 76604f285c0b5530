// Bootstrap of a service process: its edges by the boot document, the supervisor's edge served once all others are, and the writer's hold
// on the state directory. What a service does lies in the service.
import { type Edge, lifeEdge, type Service } from '@gatehouse/contracts'
import {
  type CommonBoot,
  edgeAddress,
  keepRetentionClock,
  type ServiceContext,
  lockWriter,
  type Logger,
  type Metrics,
  type Running,
  runService,
  type ServiceOptions,
} from '@gatehouse/kernel'
import { connectEdge, type ConnectOptions } from './connect.ts'
import type { EdgeClient, EdgeServer, Handlers } from './contract.ts'
import { serveEdge, type ServeOptions } from './serve.ts'

export type LifeHandlers = Handlers<ReturnType<typeof lifeEdge>>

/** The edges of one process, at the addresses and with the secrets of its boot document. */
export interface Edges {
  /** Whether the unit has this edge. */
  has(edge: Edge): boolean
  connect<E extends Edge>(edge: E, listeners?: Pick<ConnectOptions<E>, 'on' | 'onConnect'>): EdgeClient<E>
  serve<E extends Edge>(edge: E, handlers: Handlers<E>, callers?: Pick<ServeOptions<E>, 'opening' | 'onCaller'>): Promise<EdgeServer<E>>
  /** Ends everything that is served. */
  close(): Promise<void>
}

const openEdges = ({ boot, log, metrics }: ServiceContext<CommonBoot>): Edges => {
  const servers: Pick<EdgeServer<Edge>, 'close'>[] = []
  return {
    has: ({ name }) => boot.edges[name] !== undefined,
    connect: (edge, listeners) => connectEdge(edge, { ...edgeAddress(boot, edge), ...listeners, log, metrics }),
    serve: async (edge, handlers, callers) => {
      const server = await serveEdge(edge, { ...edgeAddress(boot, edge), handlers, ...callers, log })
      servers.push(server)
      return server
    },
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  }
}

export interface Writer {
  release(): Promise<void>
}

/** Locks the state directory for this service and keeps its retention clock there, until released. */
export const holdState = async ({ stateDir }: Pick<CommonBoot, 'stateDir'>, service: Service, log: Logger): Promise<Writer> => {
  const lock = await lockWriter(stateDir, service)
  const retention = await keepRetentionClock({ stateDir, service, log })
  return {
    release: async () => {
      await retention.stop()
      await lock.release()
    },
  }
}

/** Answers of the supervisor's edge. */
export const createLife = (metrics: Metrics, health: LifeHandlers['health']): LifeHandlers => ({ health, metrics: () => metrics.json() })

export interface StartedService extends Running {
  readonly life: LifeHandlers
}

export interface ProcessOptions<B extends CommonBoot> extends Omit<ServiceOptions<B>, 'start'> {
  /** Serves what the service offers; `stop` of what it gives also closes the edges. */
  readonly start: (context: ServiceContext<B> & { readonly edges: Edges }) => Promise<StartedService>
}

/** As `runService`. The process is ready once the supervisor's edge is served. */
export const runServiceProcess = <B extends CommonBoot>({ name, schema, start }: ProcessOptions<B>): Promise<void> =>
  runService({
    name,
    schema,
    start: async (context) => {
      const edges = openEdges(context)
      const service = await start({ ...context, edges })
      await edges.serve(lifeEdge(name), service.life)
      return service
    },
  })
