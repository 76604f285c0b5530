// One socket for each open session, in step with the gateway.
import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { SessionID } from '@gatehouse/contracts'
import { listenUnix, privateDirectory, waitFor } from '@gatehouse/kernel'
import { type Bench, createBench, group, sessionOne, sessionTwo } from '../fixtures/bench.ts'

let bench: Bench
beforeEach(async () => {
  bench = await createBench()
  bench.gateway.sessions = []
})
afterEach(() => bench.stop())

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)
/** As an earlier process made it. */
const makeDirectory = async (session: SessionID): Promise<string> => {
  await privateDirectory(join(bench.directory, 'tools'), 0o711)
  await privateDirectory(join(bench.directory, 'tools', session))
  return join(bench.directory, 'tools', session)
}
const third = 'ses_ccccccccccccc' as SessionID
const isGone = (session: SessionID) => !existsSync(join(bench.directory, 'tools', session))

test('opens a socket when a session opens and reports it, and removes it when the session closes', async () => {
  await bench.start()
  bench.listeners.on['session-opened']?.({ session: sessionOne, agentGroupID: group })
  await waitFor(() => bench.gateway.ready.includes(sessionOne), { what: 'the report' })
  assert.deepEqual(await bench.tools(), [])
  assert.deepEqual(
    [mode(bench.socket()), mode(join(bench.directory, 'tools', sessionOne)), mode(join(bench.directory, 'tools'))],
    ['600', '700', '711'],
  )
  bench.listeners.on['session-closed']?.({ session: sessionOne })
  await waitFor(() => isGone(sessionOne), { what: 'the removal' })
})

test(
  'lets the group of a session with an identity connect, and nobody else',
  { skip: process.getuid?.() !== 0 && 'needs root' },
  async () => {
    bench.gateway.sessions = [{ session: sessionOne, agentGroupID: group, identity: { uid: 700_001, gid: 800_001 } }]
    await bench.start()
    const directory = join(bench.directory, 'tools', sessionOne)
    assert.deepEqual(
      [mode(bench.socket()), statSync(bench.socket()).gid, statSync(bench.socket()).uid],
      ['660', 800_001, process.getuid?.()],
    )
    assert.deepEqual([mode(directory), statSync(directory).gid, statSync(directory).uid], ['710', 800_001, process.getuid?.()])
  },
)

test('opens what it missed and closes what is gone after each connection to the gateway', async () => {
  bench.gateway.sessions = [sessionOne, sessionTwo].map((session) => ({ session, agentGroupID: group }))
  await bench.start()
  bench.gateway.sessions = [sessionTwo, third].map((session) => ({ session, agentGroupID: group }))
  await bench.listeners.onConnect()
  assert.deepEqual([isGone(sessionOne), isGone(sessionTwo), isGone(third)], [true, false, false])
  assert.deepEqual(bench.gateway.ready.slice(2), [sessionTwo, third])
  assert.deepEqual(await bench.tools(third), [])
})

test('removes the sockets that an earlier process left, and no other file', async () => {
  const [stale, foreign] = [await makeDirectory(sessionOne), await makeDirectory(sessionTwo)]
  const left = createServer()
  await listenUnix(left, join(stale, 'tools.sock'))
  await writeFile(join(foreign, 'notes.txt'), 'somebody else put this here')
  await bench.start()
  assert.ok(!existsSync(stale))
  assert.ok(existsSync(join(foreign, 'notes.txt')))
  left.close()
})

test('serves a session anew whose socket an earlier process left', async () => {
  bench.gateway.sessions = [{ session: sessionOne, agentGroupID: group }]
  await bench.start()
  await bench.broker.stop()
  await bench.start()
  assert.deepEqual(await bench.tools(), [])
})

test('does not report a session in whose directory somebody else put something', async () => {
  bench.gateway.sessions = [sessionOne, sessionTwo].map((session) => ({ session, agentGroupID: group }))
  await writeFile(join(await makeDirectory(sessionOne), 'planted.sock'), 'a link, or what else leads elsewhere')
  await bench.start()
  assert.deepEqual(bench.gateway.ready, [sessionTwo])
})

test('does not report a session whose socket it cannot serve', async () => {
  bench.gateway.sessions = [{ session: sessionOne, agentGroupID: group }]
  await writeFile(join(await makeDirectory(sessionOne), 'tools.sock'), 'no socket')
  await bench.start()
  assert.deepEqual(bench.gateway.ready, [])
  assert.match(bench.logLines.join(), /could not serve the tools socket/)
  assert.equal(
    (await bench.broker.life.health({}, { requestId: '', traceparent: undefined, signal: new AbortController().signal })).facts['sessions'],
    0,
  )
})
