// Composition root of the control plane: edges to its peers, the listener, the supervisor's edge. No logic.
import {
  brokerControlPlane,
  channelsControlPlane,
  ControlPlaneBoot,
  gatewayControlPlane,
  modelProxyControlPlane,
  runnerControlPlane,
  supervisorControlPlane,
} from '@gatehouse/contracts'
import { runServiceProcess } from '@gatehouse/rpc'
import { createControlPlane, createEvents } from './service.ts'

await runServiceProcess({
  name: 'control-plane',
  schema: ControlPlaneBoot,
  start: async ({ boot, log, metrics, edges }) => {
    const events = createEvents()
    const gateway = edges.connect(gatewayControlPlane, {
      on: { news: ({ items }) => events.hear(items), 'token-revoked': ({ token }) => events.revoke(token) },
      onConnect: () => events.resume(),
    })
    const runner = edges.connect(runnerControlPlane)
    const supervisor = edges.connect(supervisorControlPlane)
    const broker = boot.mcp === null ? null : edges.connect(brokerControlPlane)
    const modelProxy = boot.models ? edges.connect(modelProxyControlPlane) : null
    const channels = boot.channels ? edges.connect(channelsControlPlane) : null
    const peers = {
      gateway: gateway.calls,
      runner: runner.calls,
      supervisor: supervisor.calls,
      broker: broker?.calls ?? null,
      modelProxy: modelProxy?.calls ?? null,
      channels: channels?.calls ?? null,
      gatewayConnected: () => gateway.connected(),
    }
    const plane = await createControlPlane({ boot, peers, log, metrics, events })
    return {
      life: plane.life,
      stop: async () => {
        await plane.stop()
        await edges.close()
        for (const client of [gateway, runner, supervisor, broker, modelProxy, channels]) client?.close()
      },
    }
  },
})
