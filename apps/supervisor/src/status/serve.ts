// The supervisor's API for the control plane: health of each process, metrics and backups.
import { statfs } from 'node:fs/promises'
import {
  edgeSocket,
  type Health,
  isShared,
  lifeEdge,
  type ProcessState,
  type RunPlace,
  type Service,
  supervisorControlPlane,
} from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import { connectEdge, type EdgeClient, type EdgeServer, serveEdge } from '@gatehouse/rpc'
import type { Kept } from '../children/supervise.ts'
import type { BackupCalls } from './backups.ts'

/** What the supervisor itself counts: its processes, and the disk of the state directory. Measured when somebody reads. */
export interface OwnMetricsOptions {
  readonly metrics: Metrics
  readonly states: readonly ProcessState[]
  readonly stateDir: string
}

const ownMetrics = async ({ metrics, states, stateDir }: OwnMetricsOptions): Promise<object[]> => {
  const restarts = metrics.counter('process_restarts_total')
  restarts.reset()
  for (const { name, state, restarts: times } of states) {
    metrics.gauge('process_up').set({ process: name }, state === 'ready' ? 1 : 0)
    restarts.inc({ process: name }, times)
  }
  // A directory that is gone has no room.
  const { bavail, blocks, bsize } = await statfs(stateDir).catch(() => ({ bavail: 0, blocks: 0, bsize: 0 }))
  metrics.gauge('state_free_bytes').set(bavail * bsize)
  metrics.gauge('state_size_bytes').set(blocks * bsize)
  return metrics.json()
}

type LifeClient = EdgeClient<ReturnType<typeof lifeEdge>>

export interface StatusOptions {
  readonly place: RunPlace
  readonly stateDir: string
  readonly secretOf: (edge: { readonly name: string }) => string
  readonly children: readonly Kept[]
  /** Of the other half of a split unit: watched there, asked here too. */
  readonly others: readonly Service[]
  readonly metrics: Metrics
  readonly backups: BackupCalls
  readonly log: Logger
}

export interface Status {
  health(name: Service): Promise<Health | undefined>
  close(): Promise<void>
}

type Questions = Pick<StatusOptions, 'place' | 'secretOf' | 'metrics' | 'log'>

const createQuestions = (names: readonly Service[], { place, secretOf, metrics, log }: Questions) => {
  const clients = new Map<Service, LifeClient>()
  for (const name of names) {
    const edge = lifeEdge(name)
    clients.set(name, connectEdge(edge, { path: edgeSocket(place, edge), secret: secretOf(edge), log, metrics }))
  }
  const ask = async <T>(question: (client: LifeClient) => Promise<T>): Promise<Record<string, T>> => {
    const answers = await Promise.all(
      [...clients].map(async ([name, client]) => {
        try {
          // A process that has just come up would otherwise be taken for a hung one until the next attempt to connect.
          client.reconnectNow()
          return [name, await question(client)] as const
        } catch {
          // A process that is down answers nothing; its state says so.
          return undefined
        }
      }),
    )
    return Object.fromEntries(answers.filter((answer) => answer !== undefined))
  }
  return {
    health: () => ask((client) => client.calls.health({})),
    metrics: () => ask((client) => client.calls.metrics({})),
    close: () => {
      for (const client of clients.values()) client.close()
    },
  }
}

/** A process that runs is up only if it also answers: a hung one is as good as none. */
const checked = (state: ProcessState, answers: Readonly<Record<string, unknown>>): ProcessState =>
  state.state === 'ready' && !(state.name in answers) ? { ...state, state: 'unresponsive' } : state

/** How a process goes that another supervisor watches: whether it answers is all that is known. */
const seen = (name: Service, answers: Readonly<Record<string, unknown>>): ProcessState => ({
  name,
  state: name in answers ? 'ready' : 'down',
  restarts: 0,
})

/** Without a server: for the half that no control plane asks. */
export const watchStatus = (options: Questions & Pick<StatusOptions, 'children'>): Status => {
  const questions = createQuestions(
    options.children.map(({ name }) => name),
    options,
  )
  return { health: async (name) => (await questions.health())[name], close: async () => questions.close() }
}

export const serveStatus = async (options: StatusOptions): Promise<Status> => {
  const { place, stateDir, secretOf, children, others, metrics, backups, log } = options
  const questions = createQuestions([...children.map(({ name }) => name), ...others], options)
  const statesOf = (answers: Readonly<Record<string, unknown>>) => [
    ...children.map((child) => checked(child.state, answers)),
    ...others.map((name) => seen(name, answers)),
  ]
  const server: EdgeServer<typeof supervisorControlPlane> = await serveEdge(supervisorControlPlane, {
    path: edgeSocket(place, supervisorControlPlane),
    secret: secretOf(supervisorControlPlane),
    shared: isShared(place, supervisorControlPlane),
    log,
    handlers: {
      ...backups.handlers,
      health: async () => {
        const services = await questions.health()
        return { processes: statesOf(services), services }
      },
      metrics: async () => {
        const answers = await questions.metrics()
        const own = await ownMetrics({ metrics, states: statesOf(answers), stateDir })
        return { ...answers, supervisor: own.map((row) => ({ ...row })) }
      },
    },
  })
  return {
    health: async (name) => (await questions.health())[name],
    close: async () => {
      questions.close()
      await server.close()
      await backups.close()
    },
  }
}
