// What the second half of a split unit waits for: there, still to come, or given up as soon as nobody is there to write it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { exits, runnerCredentialFile } from '@gatehouse/contracts'
import { isRefusal, type Refusal } from '@gatehouse/kernel'
import { awaitCredential } from '../../src/await-credential.ts'

const open = async (t: TestContext) => {
  const stateDir = await mkdtemp(join(tmpdir(), 'gh-handover-'))
  t.after(() => rm(stateDir, { recursive: true, force: true }))
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  const write = (text: string): Promise<void> => writeFile(join(stateDir, runnerCredentialFile), text)
  const wait = (more: { MAINPID?: string; deadline?: number } = {}) => {
    const { deadline = 60_000, ...env } = more
    return awaitCredential({ env: { SERVICE_STATE_DIR: stateDir, ...env }, stopped, deadline })
  }
  return { write, wait, stop }
}

const refusal = async (waiting: Promise<void>): Promise<Refusal> => {
  const error: unknown = await waiting.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(isRefusal(error), String(error))
  return error
}

test('a credential that is there is waited for no longer', async (t) => {
  const { write, wait } = await open(t)
  await write('{}')
  await wait()
})

test('one that is written later ends the wait, and an empty one does not', async (t) => {
  const { write, wait } = await open(t)
  await write('')
  const waiting = wait({ MAINPID: String(process.pid) })
  assert.equal(await Promise.race([waiting, new Promise((resolve) => setImmediate(() => resolve('waits')))]), 'waits')
  await write('{}')
  await waiting
})

test('where who writes it has ended it is given up at once', async (t) => {
  const { wait } = await open(t)
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  const { exit, detail } = await refusal(wait({ MAINPID: String(child.pid) }))
  assert.equal(exit, exits.childCannotStart)
  assert.match(detail, /runner\.credential to be written, but the process \d+ that writes it has ended/)
})

test('it is waited for up to a bound, and no longer than the unit is started', async (t) => {
  const { wait, stop } = await open(t)
  assert.match((await refusal(wait({ deadline: 1 }))).detail, /runner\.credential to be written within 1 ms/)
  const waiting = wait()
  stop()
  await waiting
})
