// Composition root of the channels: the edges of gateway and runner, its own edges. No logic, and nothing on disk.
import { ChannelsBoot, channelsControlPlane, type Edge, gatewayChannels, lifeEdge, runnerChannels } from '@gatehouse/contracts'
import { edgeAddress, type EdgeAddress, type Lifeline, type Running, runService } from '@gatehouse/kernel'
import { connectEdge, serveEdge } from '@gatehouse/rpc'
import { createChannels } from './service.ts'

const start = async ({ boot, log, metrics }: Lifeline<ChannelsBoot>): Promise<Running> => {
  const at = (edge: Edge): EdgeAddress => edgeAddress(boot, edge)
  const channels = createChannels({
    boot,
    log,
    metrics,
    connectGateway: (listeners) => connectEdge(gatewayChannels, { ...at(gatewayChannels), ...listeners, log, metrics }),
    connectRunner: (listeners) => connectEdge(runnerChannels, { ...at(runnerChannels), ...listeners, log, metrics }),
  })
  const life = lifeEdge('channels')
  const servers = [
    await serveEdge(channelsControlPlane, { ...at(channelsControlPlane), handlers: channels.controlPlane, log }),
    await serveEdge(life, { ...at(life), handlers: channels.life, log }),
  ]
  return {
    stop: async () => {
      await Promise.all([channels.stop(), ...servers.map((server) => server.close())])
    },
  }
}

await runService({ name: 'channels', schema: ChannelsBoot, start })
