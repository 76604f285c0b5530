// Composition root of the control plane: edges to its peers, the listener, the supervisor's door. No logic.
import {
  brokerControlPlane,
  channelsControlPlane,
  ControlPlaneBoot,
  type Edge,
  gatewayControlPlane,
  lifeEdge,
  modelProxyControlPlane,
  runnerControlPlane,
  supervisorControlPlane,
} from '@gatehouse/contracts'
import { edgeAddress, type EdgeAddress, type Lifeline, type Running, runService } from '@gatehouse/kernel'
import { connectEdge, serveEdge } from '@gatehouse/rpc'
import { createControlPlane, createEvents } from './service.ts'

const start = async ({ boot, log, metrics }: Lifeline<ControlPlaneBoot>): Promise<Running> => {
  const at = (edge: Edge): EdgeAddress => edgeAddress(boot, edge)
  const events = createEvents()
  const gateway = connectEdge(gatewayControlPlane, {
    ...at(gatewayControlPlane),
    on: { news: ({ items }) => events.hear(items), 'token-revoked': ({ token }) => events.revoke(token) },
    onConnect: () => events.resume(),
    log,
    metrics,
  })
  const runner = connectEdge(runnerControlPlane, { ...at(runnerControlPlane), log, metrics })
  const supervisor = connectEdge(supervisorControlPlane, { ...at(supervisorControlPlane), log, metrics })
  const broker = boot.mcp === null ? null : connectEdge(brokerControlPlane, { ...at(brokerControlPlane), log, metrics })
  const modelProxy = boot.models ? connectEdge(modelProxyControlPlane, { ...at(modelProxyControlPlane), log, metrics }) : null
  const channels = boot.channels ? connectEdge(channelsControlPlane, { ...at(channelsControlPlane), log, metrics }) : null
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
  const edge = lifeEdge('control-plane')
  const life = await serveEdge(edge, { ...at(edge), handlers: plane.life, log })
  return {
    stop: async () => {
      await plane.stop()
      await life.close()
      for (const client of [gateway, runner, supervisor, broker, modelProxy, channels]) client?.close()
    },
  }
}

await runService({ name: 'control-plane', schema: ControlPlaneBoot, start })
