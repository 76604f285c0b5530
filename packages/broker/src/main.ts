// Composition root of the broker: its lock, its records, the gateway's edge, its own edges. No logic.
import { join } from 'node:path'
import { BrokerBoot, brokerControlPlane, gatewayBroker, runnerBroker, stateFiles } from '@gatehouse/contracts'
import { openRecords } from '@gatehouse/journal'
import { createLogger } from '@gatehouse/kernel'
import { holdState, runServiceProcess } from '@gatehouse/rpc'
import { createBroker } from './service.ts'
import { connectContainers } from './upstream/stdio/containers.ts'

await runServiceProcess({
  name: 'broker',
  schema: BrokerBoot,
  start: async ({ boot, log, metrics, secret, edges }) => {
    const writer = await holdState(boot, 'broker', log)
    const records = await openRecords({ path: join(boot.stateDir, stateFiles.calls), retention: { time: boot.callsRetention } })
    const broker = await createBroker({
      boot,
      records,
      log,
      metrics,
      recordLog: createLogger({ process: 'broker', level: 'info' }),
      secret,
      containers:
        boot.isolation === 'container' ? connectContainers((listeners) => edges.connect(runnerBroker, listeners), log) : undefined,
      connect: (listeners) => edges.connect(gatewayBroker, listeners),
    })
    await edges.serve(brokerControlPlane, broker.controlPlane)
    return {
      life: broker.life,
      stop: async () => {
        await Promise.all([broker.stop(), edges.close()])
        await records.close()
        await writer.release()
      },
    }
  },
})
