// Authority is which door one can open: no call of one edge of the runner can be made at another.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Edge, edgeSocket, runnerBackup, runnerChannels, runnerControlPlane } from '@gatehouse/contracts'
import { silentLogger } from '@gatehouse/kernel'
import { connectEdge, serveEdge } from '@gatehouse/rpc'
import { codeOf } from '@gatehouse/testkit/edge-callers'
import { openUnit, type Unit } from './fixtures/unit.ts'

const edges: readonly Edge[] = [runnerControlPlane, runnerChannels, runnerBackup]
const secretOf = ({ name }: Edge): string => `secret of ${name}`

const openDoors = async (t: TestContext): Promise<Unit> => {
  const unit = await openUnit(t)
  const { controlPlane, channels, backup } = unit.runner
  const at = (edge: Edge) => ({ path: edgeSocket(unit.runDir, edge), secret: secretOf(edge), log: silentLogger })
  const servers = [
    await serveEdge(runnerControlPlane, { ...at(runnerControlPlane), handlers: controlPlane }),
    await serveEdge(runnerChannels, { ...at(runnerChannels), handlers: channels }),
    await serveEdge(runnerBackup, { ...at(runnerBackup), handlers: backup }),
  ]
  t.after(() => Promise.all(servers.map((server) => server.close())))
  return unit
}

/** What a caller with the wrong contract would send. */
const disguised = (door: Edge, other: Edge): Edge => ({ ...door, calls: other.calls })

test('at each door no call of another is answered, and the secret of another opens nothing', { timeout: 300_000 }, async (t) => {
  const unit = await openDoors(t)
  for (const door of edges) {
    for (const other of edges.filter((edge) => edge !== door)) {
      const path = edgeSocket(unit.runDir, door)
      const client = connectEdge(disguised(door, other), { path, secret: secretOf(door) })
      const stranger = connectEdge(door, { path, secret: secretOf(other) })
      try {
        for (const name of Object.keys(other.calls)) {
          // Those that both edges have are the door's own.
          if (name in door.calls) continue
          const code = await codeOf(client.calls[name]?.({}))
          assert.ok(
            ['not-found', 'malformed', 'invalid', 'method-not-allowed', 'forbidden', 'internal'].includes(code),
            `${door.name} ${name}: ${code}`,
          )
        }
        const [own = ''] = Object.keys(door.calls)
        assert.ok(['unavailable', 'deadline'].includes(await codeOf(stranger.calls[own]?.({}, { deadline: 300 }))))
      } finally {
        client.close()
        stranger.close()
      }
    }
  }
  assert.deepEqual(await unit.messages(), [])
})
