// Authority is which door one can open: no call of one edge can be made at another.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Edge, edgeSocket, gatewayBroker, gatewayChannels, gatewayControlPlane, gatewayRunner, lifeEdge } from '@gatehouse/contracts'
import { silentLogger } from '@gatehouse/kernel'
import { connectEdge, type EdgeServer, serveEdge } from '@gatehouse/rpc'
import { fails } from './fixtures/people.ts'
import { openUnit, removeDirectory, type Unit } from './fixtures/unit.ts'

const edges: readonly Edge[] = [gatewayControlPlane, gatewayBroker, gatewayRunner, gatewayChannels, lifeEdge('gateway')]
const secretOf = ({ name }: Edge): string => `secret of ${name}`

let unit: Unit
const servers: Pick<EdgeServer<Edge>, 'close'>[] = []

before(async () => {
  unit = await openUnit()
  const { controlPlane, broker, runner, channels, supervisor } = unit.gateway
  const at = (edge: Edge) => ({ path: edgeSocket(unit.dir, edge), secret: secretOf(edge), log: silentLogger })
  servers.push(
    await serveEdge(gatewayControlPlane, { ...at(gatewayControlPlane), handlers: controlPlane }),
    await serveEdge(gatewayBroker, { ...at(gatewayBroker), handlers: broker }),
    await serveEdge(gatewayRunner, { ...at(gatewayRunner), handlers: runner }),
    await serveEdge(gatewayChannels, { ...at(gatewayChannels), handlers: channels }),
    await serveEdge(lifeEdge('gateway'), { ...at(lifeEdge('gateway')), handlers: supervisor }),
  )
})
after(async () => {
  for (const server of servers) await server.close()
  await unit.close()
  await removeDirectory(unit.dir)
})

const dump = async (): Promise<string> =>
  JSON.stringify(
    await Promise.all(
      ['changes', 'groups', 'grants', 'wirings', 'tokens', 'freezes', 'lines'].map((table) =>
        unit.store.read.all(`SELECT * FROM ${table}`),
      ),
    ),
  )

/** One edge that claims to have the calls of another: what a caller with the wrong contract would send. */
const disguised = (door: Edge, other: Edge): Edge => ({ ...door, calls: other.calls })

for (const door of edges) {
  for (const other of edges) {
    if (door === other) continue
    test(`at ${door.name} no call of ${other.name} is answered`, async () => {
      const before = await dump()
      const client = connectEdge(disguised(door, other), { path: edgeSocket(unit.dir, door), secret: secretOf(door) })
      try {
        for (const name of Object.keys(other.calls)) {
          // Those that both edges have are the door's own.
          if (name in door.calls) continue
          const error = await fails(client.calls[name]?.({}) ?? Promise.resolve())
          assert.ok(
            ['not-found', 'malformed', 'invalid', 'forbidden', 'method-not-allowed', 'internal'].includes(error.code),
            `${name}: ${error.code}`,
          )
        }
      } finally {
        client.close()
      }
      assert.equal(await dump(), before)
    })
  }
}

// Whoever is not let in is patient: they are waited for together.
suite('a stranger', { concurrency: true }, () => {
  for (const door of edges)
    test(`at ${door.name} the secret of another edge opens nothing`, async () => {
      const other = edges.find((edge) => edge !== door) ?? door
      const client = connectEdge(door, { path: edgeSocket(unit.dir, door), secret: secretOf(other) })
      try {
        const [name = ''] = Object.keys(door.calls)
        assert.equal((await fails(client.calls[name]?.({}) ?? Promise.resolve())).code, 'unavailable')
      } finally {
        client.close()
      }
    })
})
