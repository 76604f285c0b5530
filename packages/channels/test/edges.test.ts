// Authority is which door one can open: the channels answer the control plane and the supervisor, each by its own secret alone.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { channelsControlPlane, type Edge, edgeSocket, gatewayChannels, lifeEdge, runnerChannels } from '@gatehouse/contracts'
import { createMetrics, silentLogger } from '@gatehouse/kernel'
import { connectEdge, type EdgeServer, serveEdge } from '@gatehouse/rpc'
import { codeOf } from '@gatehouse/testkit/edge-callers'
import { type Channels, createChannels } from '../src/service.ts'
import { way } from './fixtures/listener.ts'

const life = lifeEdge('channels')
const doors: readonly Edge[] = [channelsControlPlane, life]
/** Of whoever else talks to, or is talked to by, this process. */
const others: readonly Edge[] = [gatewayChannels, runnerChannels]
const secretOf = ({ name }: Edge): string => `secret of ${name}`

let runDir: string
let channels: Channels
const servers: Pick<EdgeServer<Edge>, 'close'>[] = []
const heard: string[] = []

const nobody = <E extends typeof gatewayChannels | typeof runnerChannels>(edge: E) =>
  connectEdge(edge, { path: join(runDir, 'nobody.sock'), secret: 'none' })

before(async () => {
  runDir = await mkdtemp(join(tmpdir(), 'gh-doors-'))
  await mkdir(join(runDir, 'edges'), { mode: 0o700 })
  channels = createChannels({
    boot: { channels: { webhook: { secrets: [Buffer.alloc(32, 1).toString('base64')] } }, ...way, publicUrl: undefined },
    connectGateway: () => nobody(gatewayChannels),
    connectRunner: () => nobody(runnerChannels),
    log: silentLogger,
    metrics: createMetrics('channels'),
  })
  const { check, webhook, ...rest } = channels.controlPlane
  const noted = {
    ...rest,
    check: (...given: Parameters<typeof check>) => (heard.push('check'), check(...given)),
    webhook: (...given: Parameters<typeof webhook>) => (heard.push('webhook'), webhook(...given)),
  }
  const at = (edge: Edge) => ({ path: edgeSocket(runDir, edge), secret: secretOf(edge), log: silentLogger })
  servers.push(
    await serveEdge(channelsControlPlane, { ...at(channelsControlPlane), handlers: noted }),
    await serveEdge(life, { ...at(life), handlers: channels.life }),
  )
})
after(async () => {
  for (const server of servers) await server.close()
  await channels.stop()
  await rm(runDir, { recursive: true, force: true })
})

/** What `door` answers to one that has its contract and the secret of `other`, and to one that has it the other way round. */
const knock = async (door: Edge, other: Edge): Promise<void> => {
  const path = edgeSocket(runDir, door)
  const stranger = connectEdge(door, { path, secret: secretOf(other) })
  const disguised = connectEdge({ ...door, calls: other.calls }, { path, secret: secretOf(door) })
  try {
    const [first = ''] = Object.keys(door.calls)
    assert.equal(await codeOf(stranger.calls[first]?.({})), 'unavailable', `${door.name} by the secret of ${other.name}`)
    for (const name of Object.keys(other.calls).filter((one) => !(one in door.calls))) {
      const code = await codeOf(disguised.calls[name]?.({}))
      assert.ok(['not-found', 'malformed', 'invalid', 'method-not-allowed', 'forbidden'].includes(code), `${name}: ${code}`)
    }
  } finally {
    stranger.close()
    disguised.close()
  }
}

test('at no door the secret of another edge opens anything, nor is a call of another edge answered', async () => {
  const pairs = doors.flatMap((door) => [...doors, ...others].filter((other) => other !== door).map((other) => [door, other] as const))
  await Promise.all(pairs.map(([door, other]) => knock(door, other)))
  assert.deepEqual(heard, [])
})

test('by its own secret the control plane is answered', async () => {
  const client = connectEdge(channelsControlPlane, {
    path: edgeSocket(runDir, channelsControlPlane),
    secret: secretOf(channelsControlPlane),
  })
  try {
    assert.equal((await client.calls.check({ channel: 'webhook' })).accepted, true)
    assert.deepEqual(heard, ['check'])
  } finally {
    client.close()
  }
})
