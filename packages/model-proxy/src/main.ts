// Composition root of the model proxy: its lock, its records, the gateway's edge, its own edges. No logic.
import { join } from 'node:path'
import { type Edge, gatewayModelProxy, lifeEdge, ModelProxyBoot, modelProxyControlPlane, stateFiles } from '@gatehouse/contracts'
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
import { createModelProxy } from './service.ts'

const start = async ({ boot, log, metrics }: Lifeline<ModelProxyBoot>): Promise<Running> => {
  const at = (edge: Edge): EdgeAddress => edgeAddress(boot, edge)
  const lock = await lockWriter(boot.stateDir, 'model-proxy')
  const retention = await keepRetentionClock({ stateDir: boot.stateDir, service: 'model-proxy', log })
  const records = await openRecords({ path: join(boot.stateDir, stateFiles.modelCalls), retention: { time: boot.callsRetention } })
  const proxy = await createModelProxy({
    boot,
    records,
    log,
    metrics,
    recordLog: createLogger({ process: 'model-proxy', level: 'info' }),
    connect: (listeners) => connectEdge(gatewayModelProxy, { ...at(gatewayModelProxy), ...listeners, log, metrics }),
  })
  const life = lifeEdge('model-proxy')
  const servers = [
    await serveEdge(modelProxyControlPlane, { ...at(modelProxyControlPlane), handlers: proxy.controlPlane, log }),
    await serveEdge(life, { ...at(life), handlers: proxy.life, log }),
  ]
  return {
    stop: async () => {
      await Promise.all([proxy.stop(), ...servers.map((server) => server.close())])
      await records.close()
      await retention.stop()
      await lock.release()
    },
  }
}

await runService({ name: 'model-proxy', schema: ModelProxyBoot, start })
