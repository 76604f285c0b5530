// The supervisor's own socket: how every process goes, what each has counted, and backups. For the control plane alone.
import { edgeSocket, lifeEdge, supervisorControlPlane, type Health, type Service } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import { connectEdge, serveEdge, type EdgeClient, type EdgeServer } from '@gatehouse/rpc'
import type { Kept } from '../children/keep.ts'
import type { BackupCalls } from './backups.ts'
import { ownMetrics } from './own-metrics.ts'

type LifeClient = EdgeClient<ReturnType<typeof lifeEdge>>

export interface StatusOptions {
  readonly runDir: string
  readonly stateDir: string
  readonly secretOf: (edge: { readonly name: string }) => string
  readonly children: readonly Kept[]
  readonly metrics: Metrics
  readonly backups: BackupCalls
  readonly log: Logger
}

export interface Status {
  health(name: Service): Promise<Health | undefined>
  close(): Promise<void>
}

export const serveStatus = async ({ runDir, stateDir, secretOf, children, metrics, backups, log }: StatusOptions): Promise<Status> => {
  const clients = new Map<Service, LifeClient>()
  for (const { name } of children) {
    const edge = lifeEdge(name)
    clients.set(name, connectEdge(edge, { path: edgeSocket(runDir, edge), secret: secretOf(edge), log, metrics }))
  }

  const ask = async <T>(question: (client: LifeClient) => Promise<T>): Promise<Record<string, T>> => {
    const answers = await Promise.all(
      [...clients].map(async ([name, client]) => {
        try {
          return [name, await question(client)] as const
        } catch {
          // A process that is down answers nothing; its state says so.
          return undefined
        }
      }),
    )
    return Object.fromEntries(answers.filter((answer) => answer !== undefined))
  }

  const server: EdgeServer<typeof supervisorControlPlane> = await serveEdge(supervisorControlPlane, {
    path: edgeSocket(runDir, supervisorControlPlane),
    secret: secretOf(supervisorControlPlane),
    log,
    handlers: {
      ...backups.handlers,
      health: async () => ({ processes: children.map((child) => child.state), services: await ask((client) => client.calls.health({})) }),
      metrics: async () => ({
        ...(await ask((client) => client.calls.metrics({}))),
        supervisor: (await ownMetrics({ metrics, children, stateDir })).map((row) => ({ ...row })),
      }),
    },
  })

  return {
    health: (name) => ask((client) => client.calls.health({})).then((answers) => answers[name]),
    close: async () => {
      for (const client of clients.values()) client.close()
      await server.close()
      await backups.close()
    },
  }
}
