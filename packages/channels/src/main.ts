// Composition root of the channels process: its edges and those of gateway and runner. No logic, no files.
import { ChannelsBoot, channelsControlPlane, gatewayChannels, runnerChannels } from '@gatehouse/contracts'
import { runServiceProcess } from '@gatehouse/rpc'
import { createChannels } from './service.ts'

await runServiceProcess({
  name: 'channels',
  schema: ChannelsBoot,
  start: async ({ boot, log, metrics, edges }) => {
    const channels = createChannels({
      boot,
      log,
      metrics,
      connectGateway: (listeners) => edges.connect(gatewayChannels, listeners),
      connectRunner: (listeners) => edges.connect(runnerChannels, listeners),
    })
    await edges.serve(channelsControlPlane, channels.controlPlane)
    return { life: channels.life, stop: async () => void (await Promise.all([channels.stop(), edges.close()])) }
  },
})
