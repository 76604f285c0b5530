// A gateway as a process of its own, with the doors of its edges open to this one.
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Duplex } from 'node:stream'
import {
  type Edge,
  edgeSocket,
  type GatewayBoot,
  gatewayBroker,
  gatewayControlPlane,
  gatewayRunner,
  lifeEdge,
  limits,
} from '@gatehouse/contracts'
import { release } from '@gatehouse/end-to-end'
import { sha256 } from '@gatehouse/kernel'
import { connectEdge, type EdgeClient } from '@gatehouse/rpc'
import { execa } from 'execa'

export const token = sha256('the token of a benchmark')
export const keys = { database: '1'.repeat(64), journal: '2'.repeat(64), secrets: '3'.repeat(64) }

const secretOf = ({ name }: Edge): string => `secret of ${name}`
const edges = [gatewayControlPlane, gatewayBroker, gatewayRunner, lifeEdge('gateway')]

const bootOf = (stateDir: string, runDir: string): GatewayBoot => ({
  mode: 'production',
  version: '0.0.0',
  installation: 'bench',
  stateDir,
  runDir,
  logLevel: 'error',
  edges: Object.fromEntries(edges.map((edge) => [edge.name, secretOf(edge)])),
  keys,
  adminToken: token,
  catalog: join(stateDir, 'mcp-catalog.json'),
  identities: null,
  seed: null,
  sample: null,
  pinning: 'refuse',
  approvals: 1,
  changeTtl: limits.changeTtl,
  mountAllow: [],
  models: [],
})

export interface GatewayProcess {
  readonly pid: number
  readonly controlPlane: EdgeClient<typeof gatewayControlPlane>
  readonly broker: EdgeClient<typeof gatewayBroker>
  readonly runner: EdgeClient<typeof gatewayRunner>
  stop(): Promise<void>
}

/** @param stateDir its own to keep; the sockets lie elsewhere */
export const startGateway = async (stateDir: string): Promise<GatewayProcess> => {
  const runDir = await mkdtemp(join(tmpdir(), 'gh-'))
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  const child = execa(process.execPath, [join(release, 'gateway.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '' },
    extendEnv: false,
    reject: false,
  })
  const pipe = child.stdio[3]
  if (!(pipe instanceof Duplex)) throw new Error('expected a pipe to the gateway')
  pipe.write(`${JSON.stringify(bootOf(stateDir, runDir))}\n`)
  const [first] = (await once(createInterface({ input: pipe }), 'line')) as [string]
  if (!first.includes('"ready"')) throw new Error(`the gateway did not start: ${first}`)
  const connect = <E extends Edge>(edge: E): EdgeClient<E> => connectEdge(edge, { path: edgeSocket(runDir, edge), secret: secretOf(edge) })
  const [controlPlane, broker, runner] = [connect(gatewayControlPlane), connect(gatewayBroker), connect(gatewayRunner)]
  return {
    pid: child.pid ?? 0,
    controlPlane,
    broker,
    runner,
    stop: async () => {
      for (const client of [controlPlane, broker, runner]) client.close()
      child.kill('SIGTERM')
      await child
      await rm(runDir, { recursive: true, force: true })
    },
  }
}

/** A group made by a change, and a session of it. */
export const prepare = async ({ controlPlane, runner }: GatewayProcess, id: string) => {
  const { calls } = controlPlane
  const after = { id, name: id, agent: 'mock' }
  const made = await calls.submit({ token, submission: { kind: 'agent_create', agentGroupID: id, after } })
  const { agentGroupID } = await calls.decide({ token, id: made.id, outcome: 'approve', decidedBy: 'bench' })
  return runner.calls.openSession({ agentGroupID, conversationID: 'bench' as never })
}
