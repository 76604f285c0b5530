// Composition root of the gateway process: its lock, store, journal and edges. No logic.
import { join } from 'node:path'
import {
  GatewayBoot,
  gatewayBroker,
  gatewayChannels,
  gatewayControlPlane,
  gatewayModelProxy,
  gatewayRunner,
  limits,
  stateFiles,
} from '@gatehouse/contracts'
import { openHeldJournal } from '@gatehouse/journal'
import type { Logger } from '@gatehouse/kernel'
import { type Edges, holdState, runServiceProcess } from '@gatehouse/rpc'
import { openStore } from '@gatehouse/store'
import { createGateway, type Gateway, migrations } from './gateway.ts'
import { openWithDiskSpace } from './ledger/disk-space.ts'

const open = async (boot: GatewayBoot, log: Logger) => {
  const at = (name: string): string => join(boot.stateDir, name)
  const writer = await holdState(boot, 'gateway', log)
  const store = await openWithDiskSpace(at(stateFiles.auditReserve), () =>
    openStore({ path: at(stateFiles.database), key: boot.keys.database, migrations, log }),
  )
  const journal = await openHeldJournal({
    path: at(stateFiles.audit),
    publicKeyPath: at(stateFiles.journalKey),
    seed: Buffer.from(boot.keys.journal, 'hex'),
    epoch: boot.keys.epoch ?? 1,
    reserve: { path: at(stateFiles.auditReserve), bytes: limits.auditReserve },
    log,
  })
  return { writer, store, journal }
}

const listen = async ({ catalog, models }: GatewayBoot, edges: Edges, gateway: Gateway): Promise<void> => {
  const { subscribe } = gateway.subscribers
  const { onConnected } = gateway
  await edges.serve(gatewayControlPlane, gateway.controlPlane, { opening: (controlPlane) => subscribe({ controlPlane }) })
  if (catalog !== null)
    await edges.serve(gatewayBroker, gateway.broker, { opening: (broker) => subscribe({ broker }), onCaller: () => onConnected('broker') })
  if (models.length > 0) await edges.serve(gatewayModelProxy, gateway.modelProxy, { opening: (modelProxy) => subscribe({ modelProxy }) })
  await edges.serve(gatewayRunner, gateway.runner, { opening: (runner) => subscribe({ runner }), onCaller: () => onConnected('runner') })
  if (edges.has(gatewayChannels)) await edges.serve(gatewayChannels, gateway.channels, { opening: (channels) => subscribe({ channels }) })
}

await runServiceProcess({
  name: 'gateway',
  schema: GatewayBoot,
  start: async ({ boot, log, metrics, edges }) => {
    const { writer, store, journal } = await open(boot, log)
    const gateway = await createGateway({ boot, store, journal, log, metrics })
    await gateway.start()
    await listen(boot, edges, gateway)
    process.on('SIGHUP', () => void gateway.reload())
    return {
      life: gateway.supervisor,
      stop: async () => {
        await edges.close()
        await gateway.stop()
        await journal.close()
        await store.close()
        await writer.release()
      },
    }
  },
})
