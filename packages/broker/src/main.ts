// Composition root of the broker: its lock, its records, the gateway's edge, its own edges. No logic.
import { join } from 'node:path'
import { BrokerBoot, brokerControlPlane, type Edge, gatewayBroker, lifeEdge, runnerBroker, stateFiles } from '@gatehouse/contracts'
import { openRecords } from '@gatehouse/journal'
import {
  edgeAddress,
  type EdgeAddress,
  createLogger,
  keepRetentionClock,
  type Lifeline,
  lockWriter,
  type Running,
  runService,
} from '@gatehouse/kernel'
import { connectEdge, serveEdge } from '@gatehouse/rpc'
import { createBroker } from './service.ts'
import { connectContainers } from './upstream/stdio/containers.ts'

const start = async ({ boot, log, metrics, secret }: Lifeline<BrokerBoot>): Promise<Running> => {
  const at = (edge: Edge): EdgeAddress => edgeAddress(boot, edge)
  const lock = await lockWriter(boot.stateDir, 'broker')
  const retention = await keepRetentionClock({ stateDir: boot.stateDir, service: 'broker', log })
  const records = await openRecords({ path: join(boot.stateDir, stateFiles.calls), retention: { time: boot.callsRetention } })
  const broker = await createBroker({
    boot,
    records,
    log,
    metrics,
    recordLog: createLogger({ process: 'broker', level: 'info' }),
    secret,
    containers: boot.isolation === 'container' ? connectContainers({ ...at(runnerBroker), log, metrics }) : undefined,
    connect: (listeners) => connectEdge(gatewayBroker, { ...at(gatewayBroker), ...listeners, log, metrics }),
  })
  const lifeOfBroker = lifeEdge('broker')
  const servers = [
    await serveEdge(brokerControlPlane, { ...at(brokerControlPlane), handlers: broker.controlPlane, log }),
    await serveEdge(lifeOfBroker, { ...at(lifeOfBroker), handlers: broker.life, log }),
  ]
  return {
    stop: async () => {
      await Promise.all([broker.stop(), ...servers.map((server) => server.close())])
      await records.close()
      await retention.stop()
      await lock.release()
    },
  }
}

await runService({ name: 'broker', schema: BrokerBoot, start })
