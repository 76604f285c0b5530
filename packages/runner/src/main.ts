// Composition root of the runner: its lock, the gateway's edge, the engine, its own edges. No logic.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Edge,
  exits,
  gatewayRunner,
  lifeEdge,
  RunnerBoot,
  runnerBackup,
  runnerBroker,
  runnerChannels,
  runnerControlPlane,
} from '@gatehouse/contracts'
import { chooseDriver } from '@gatehouse/engine'
import {
  edgeAddress,
  type EdgeAddress,
  keepRetentionClock,
  type Lifeline,
  lockWriter,
  Refusal,
  runnerLockName,
  type Running,
  runService,
  takeLock,
} from '@gatehouse/kernel'
import { connectEdge, serveEdge } from '@gatehouse/rpc'
import { createLeftovers } from './leftovers/leftovers.ts'
import { createRunner } from './service.ts'
import { createToolContainers } from './tool-containers/create.ts'

/** Of the state, and of the runtime directory: the file of that one stays when something of the unit may be left. */
const lockUnit = async ({ stateDir, runDir }: RunnerBoot) => {
  const state = await lockWriter(stateDir, 'runner')
  const runtime = await takeLock(join(runDir, runnerLockName), { create: true })
  const release = async (isClear: boolean): Promise<void> => {
    if (isClear) await rm(join(runDir, runnerLockName))
    await runtime?.release()
    await state.release()
  }
  if (runtime !== undefined) return release
  throw new Refusal(exits.stateInUse, {
    detail: `another runner holds ${join(runDir, runnerLockName)}`,
    hint: 'stop that unit, and start this one again',
  })
}

const start = async ({ boot, log, metrics }: Lifeline<RunnerBoot>): Promise<Running> => {
  const at = (edge: Edge): EdgeAddress => edgeAddress(boot, edge)
  const unlock = await lockUnit(boot)
  const retention = await keepRetentionClock({ stateDir: boot.stateDir, service: 'runner', log })
  const leftovers = createLeftovers(boot, log)
  const runner = await createRunner({
    ...boot,
    leftovers,
    log,
    metrics,
    toolContainers: await createToolContainers(boot, { leftovers, log }),
    wrapping: Buffer.from(boot.keys.queues, 'hex'),
    chooseDriver: (wanted) =>
      chooseDriver(wanted, { ...boot, home: `${boot.runDir}/engine`, onEngine: (engine) => leftovers.engines.add(engine), log }),
    connect: (listeners) => connectEdge(gatewayRunner, { ...at(gatewayRunner), ...listeners, log, metrics }),
  })
  const serveChannels = async () => {
    const server = await serveEdge(runnerChannels, { ...at(runnerChannels), handlers: runner.channels, log })
    runner.onOutbox(() => server.publish('outbox', {}))
    return server
  }
  const lifeOfRunner = lifeEdge('runner')
  const servers = [
    await serveEdge(runnerControlPlane, { ...at(runnerControlPlane), handlers: runner.controlPlane, log }),
    ...(runner.broker === undefined ? [] : [await serveEdge(runnerBroker, { ...at(runnerBroker), handlers: runner.broker, log })]),
    ...(boot.edges[runnerChannels.name] === undefined ? [] : [await serveChannels()]),
    await serveEdge(runnerBackup, { ...at(runnerBackup), handlers: runner.backup, log }),
    await serveEdge(lifeOfRunner, { ...at(lifeOfRunner), handlers: runner.life, log }),
  ]
  return {
    stop: async () => {
      const [isClear] = await Promise.all([runner.stop(), ...servers.map((server) => server.close())])
      await retention.stop()
      await unlock(isClear)
    },
  }
}

await runService({ name: 'runner', schema: RunnerBoot, start })
