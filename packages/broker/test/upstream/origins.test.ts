// Names that led to public addresses when their entries were saved, and what is dialled for them later.
import assert from 'node:assert/strict'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { ServerName } from '@gatehouse/contracts'
import { createLogger, waitFor } from '@gatehouse/kernel'
import type { Resolve } from '@gatehouse/outbound'
import { Origins } from '../../src/upstream/origins.ts'
import { type Bench, createBench } from '../fixtures/bench.ts'

let directory: string
let leadsTo: string[]
const resolve: Resolve = (_, __, done) => {
  const error = leadsTo.length === 0 ? Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }) : null
  done(
    error,
    leadsTo.map((address) => ({ address, family: isIP(address) })),
  )
}
const log = createLogger({ process: 'broker', level: 'error', write: () => undefined })
const open = () => Origins.open({ stateDir: directory, log, resolve })
const entry = { transport: 'http', url: 'https://mcp.example/mcp', headers: {} } as const
const bench: Bench[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gh-origins-'))
})
afterEach(async () => {
  await Promise.all(bench.splice(0).map((each) => each.stop()))
  await rm(directory, { recursive: true, force: true })
})

test('keeps to public addresses where the name led to such when its entry was saved, also after a new start', async () => {
  leadsTo = ['93.184.216.34']
  const origins = await open()
  await origins.synchronize([entry])
  leadsTo = ['10.0.0.1']
  assert.equal(await origins.reachOf(entry), 'public')
  await waitFor(
    () =>
      access(join(directory, 'mcp-origins.json')).then(
        () => true,
        () => false,
      ),
    { what: 'the verdict on disk' },
  )
  assert.equal(await (await open()).reachOf(entry), 'public')
})

test('lets a name into the house that led there when it was saved', async () => {
  leadsTo = ['10.0.0.1']
  const origins = await open()
  await origins.synchronize([entry])
  leadsTo = ['93.184.216.34']
  assert.equal(await origins.reachOf(entry), 'any')
})

test('checks a name when it first resolves, and checks a removed name again', async () => {
  leadsTo = []
  const origins = await open()
  await origins.synchronize([entry])
  leadsTo = ['93.184.216.34']
  assert.equal(await origins.reachOf(entry), 'public')
  await origins.synchronize([])
  leadsTo = ['10.0.0.1']
  await origins.synchronize([entry])
  assert.equal(await origins.reachOf(entry), 'any')
})

test('does as the entry says, whatever was found', async () => {
  leadsTo = ['93.184.216.34']
  const origins = await open()
  await origins.synchronize([entry])
  assert.equal(await origins.reachOf({ ...entry, reach: 'any' }), 'any')
  leadsTo = ['10.0.0.1']
  assert.equal(await origins.reachOf({ ...entry, reach: 'public' }), 'public')
})

test('connects to nothing inside for a name that was public when it was saved', async () => {
  leadsTo = ['93.184.216.34']
  const made = await createBench()
  bench.push(made)
  made.gateway.catalog = { far: entry }
  await made.start({ resolve })
  leadsTo = ['127.0.0.1']
  const context = { requestId: 'r', traceparent: undefined, signal: new AbortController().signal }
  await assert.rejects(async () => made.broker.controlPlane.probe({ name: 'far' as ServerName }, context), {
    detail: 'the address of the server may not be dialled',
  })
})
