// Composition root of the gateway process: its lock, store, journal and edges. No logic.
import { join } from 'node:path'
import {
  type Edge,
  GatewayBoot,
  gatewayBroker,
  gatewayChannels,
  gatewayControlPlane,
  gatewayModelProxy,
  gatewayRunner,
  lifeEdge,
  limits,
  stateFiles,
} from '@gatehouse/contracts'
import { openHeldJournal } from '@gatehouse/journal'
import { edgeAddress, keepRetentionClock, type Lifeline, lockWriter, type Running, runService } from '@gatehouse/kernel'
import { type EdgeServer, type Handlers, serveEdge, type ServeOptions } from '@gatehouse/rpc'
import { openStore } from '@gatehouse/store'
import { createGateway, type Gateway, migrations } from './gateway.ts'
import { openWithDiskSpace } from './ledger/disk-space.ts'

const open = async ({ boot, log }: Lifeline<GatewayBoot>) => {
  const at = (name: string): string => join(boot.stateDir, name)
  const lock = await lockWriter(boot.stateDir, 'gateway')
  const retention = await keepRetentionClock({ stateDir: boot.stateDir, service: 'gateway', log })
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
  return { lock, retention, store, journal }
}

const listen = async ({ boot, log }: Lifeline<GatewayBoot>, gateway: Gateway): Promise<{ close(): Promise<void> }[]> => {
  const serve = <E extends Edge>(
    edge: E,
    handlers: Handlers<E>,
    told: Pick<ServeOptions<E>, 'opening' | 'onCaller'> = {},
  ): Promise<EdgeServer<E>> =>
    serveEdge(edge, {
      ...edgeAddress(boot, edge),
      handlers,
      ...told,
      log: log.child({ edge: edge.name }),
    })
  const { subscribe } = gateway.subscribers
  const { onConnected } = gateway
  const hasChannels = boot.edges[gatewayChannels.name] !== undefined
  return [
    await serve(gatewayControlPlane, gateway.controlPlane, { opening: (controlPlane) => subscribe({ controlPlane }) }),
    ...(boot.catalog === null
      ? []
      : [
          await serve(gatewayBroker, gateway.broker, { opening: (broker) => subscribe({ broker }), onCaller: () => onConnected('broker') }),
        ]),
    ...(boot.models.length === 0
      ? []
      : [await serve(gatewayModelProxy, gateway.modelProxy, { opening: (modelProxy) => subscribe({ modelProxy }) })]),
    await serve(gatewayRunner, gateway.runner, { opening: (runner) => subscribe({ runner }), onCaller: () => onConnected('runner') }),
    ...(hasChannels ? [await serve(gatewayChannels, gateway.channels, { opening: (channels) => subscribe({ channels }) })] : []),
    await serve(lifeEdge('gateway'), gateway.supervisor),
  ]
}

const start = async (line: Lifeline<GatewayBoot>): Promise<Running> => {
  const { boot, log, metrics } = line
  const { lock, retention, store, journal } = await open(line)
  const gateway = await createGateway({ boot, store, journal, log, metrics })
  await gateway.start()
  const servers = await listen(line, gateway)
  process.on('SIGHUP', () => void gateway.reload())
  return {
    stop: async () => {
      await Promise.all(servers.map((server) => server.close()))
      await gateway.stop()
      await journal.close()
      await store.close()
      await retention.stop()
      await lock.release()
    },
  }
}

await runService({ name: 'gateway', schema: GatewayBoot, start })
