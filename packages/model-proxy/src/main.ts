// Composition root of the model proxy: its lock, its records, the gateway's edge, its own edges. No logic.
import { join } from 'node:path'
import { gatewayModelProxy, ModelProxyBoot, modelProxyControlPlane, stateFiles } from '@gatehouse/contracts'
import { openRecords } from '@gatehouse/journal'
import { createLogger } from '@gatehouse/kernel'
import { holdState, runServiceProcess } from '@gatehouse/rpc'
import { createModelProxy } from './service.ts'

await runServiceProcess({
  name: 'model-proxy',
  schema: ModelProxyBoot,
  start: async ({ boot, log, metrics, edges }) => {
    const writer = await holdState(boot, 'model-proxy', log)
    const records = await openRecords({ path: join(boot.stateDir, stateFiles.modelCalls), retention: { time: boot.callsRetention } })
    const recordLog = createLogger({ process: 'model-proxy', level: 'info' })
    const proxy = await createModelProxy({
      boot,
      records,
      log,
      metrics,
      recordLog,
      connect: (listeners) => edges.connect(gatewayModelProxy, listeners),
    })
    await edges.serve(modelProxyControlPlane, proxy.controlPlane)
    return {
      life: proxy.life,
      stop: async () => {
        await Promise.all([proxy.stop(), edges.close()])
        await records.close()
        await writer.release()
      },
    }
  },
})
