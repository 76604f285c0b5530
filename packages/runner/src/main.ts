// Composition root of the runner: its lock, the gateway's edge, the engine, its own edges. No logic.
import { realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exits, gatewayRunner, runnerBackup, RunnerBoot, runnerBroker, runnerChannels, runnerControlPlane } from '@gatehouse/contracts'
import { chooseDriver } from '@gatehouse/engine'
import { type Logger, privateDirectory, Refusal, runnerLockName, takeLock } from '@gatehouse/kernel'
import { type Edges, holdState, runServiceProcess } from '@gatehouse/rpc'
import { createLeftovers } from './leftovers/leftovers.ts'
import { createRunner, type Runner } from './service.ts'
import { doorDirectory, ToolContainers } from './tool-containers/containers.ts'
import { createEngagement, type EngageOptions } from './tool-containers/engage.ts'

type Boot = Pick<RunnerBoot, 'unitId' | 'stateDir' | 'runDir' | 'mode' | 'toolContainers' | 'halves'>

/** As given and without links: a path may be written either way. */
const withReal = async (paths: readonly string[]): Promise<string[]> => [
  ...paths,
  ...(await Promise.all(paths.map((path) => realpath(path).catch(() => path)))),
]

export const createToolContainers = async (
  boot: Boot,
  { leftovers, log }: Pick<EngageOptions, 'leftovers' | 'log'>,
): Promise<ToolContainers | undefined> => {
  const { toolContainers: place, mode, runDir } = boot
  if (place === null) return undefined
  await privateDirectory(join(runDir, doorDirectory), boot.halves === undefined ? 0o700 : 0o710)
  const profile = join(runDir, 'tool-servers.seccomp.json')
  const ownPaths = await withReal([...place.ownPaths, boot.stateDir, runDir])
  const engagement = createEngagement({ wanted: place, mode, leftovers, profile, log })
  return new ToolContainers({ boot, place: { ...place, ownPaths }, engagement, log })
}

/** Holds the state and the runtime directory. The lock file of the latter stays when something of the unit may be left. */
const holdUnit = async ({ stateDir, runDir }: RunnerBoot, log: Logger) => {
  const writer = await holdState({ stateDir }, 'runner', log)
  const runtime = await takeLock(join(runDir, runnerLockName), { create: true })
  const release = async (isClear: boolean): Promise<void> => {
    if (isClear) await rm(join(runDir, runnerLockName))
    await runtime?.release()
    await writer.release()
  }
  if (runtime !== undefined) return release
  throw new Refusal(exits.stateInUse, {
    detail: `another runner holds ${join(runDir, runnerLockName)}`,
    hint: 'stop that unit, and start this one again',
  })
}

const listen = async (edges: Edges, runner: Runner): Promise<void> => {
  await edges.serve(runnerControlPlane, runner.controlPlane)
  if (runner.broker !== undefined) await edges.serve(runnerBroker, runner.broker)
  if (edges.has(runnerChannels)) {
    const channels = await edges.serve(runnerChannels, runner.channels)
    runner.onOutbox(() => channels.publish('outbox', {}))
  }
  await edges.serve(runnerBackup, runner.backup)
}

await runServiceProcess({
  name: 'runner',
  schema: RunnerBoot,
  start: async ({ boot, log, metrics, edges }) => {
    const release = await holdUnit(boot, log)
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
      connect: (listeners) => edges.connect(gatewayRunner, listeners),
    })
    await listen(edges, runner)
    return {
      life: runner.life,
      stop: async () => {
        const [isClear] = await Promise.all([runner.stop(), edges.close()])
        await release(isClear)
      },
    }
  },
})
