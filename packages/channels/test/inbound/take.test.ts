// The way in of a message, where the unit cannot take it: which come again, and what waits behind them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Admission, type Code, limits, MessageID, ServiceError, SessionID } from '@gatehouse/contracts'
import { createBuckets, createMetrics, KeyedQueue, silentLogger } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Inbound } from '../../src/channel.ts'
import { HoldTimeout } from '../../src/inbound/files.ts'
import { type Intake, takeMessage } from '../../src/inbound/take.ts'
import { clockOf } from '../fixtures/clock.ts'

const admission = { admitted: true, agentGroupID: 'a', engage: 'all', session: 'thread', workspaceMiB: 1 } as unknown as Admission
const taken = { messageId: v.parse(MessageID, 'c-1'), sessionId: v.parse(SessionID, `ses_${'a'.repeat(13)}`), known: false }

const letter = (thread: string, more: Partial<Inbound> = {}): Inbound => ({
  id: `<${thread}>`,
  address: 'agents@example.org',
  thread,
  user: 'ann@example.org',
  mentioned: true,
  automatic: false,
  text: 'hello',
  files: [],
  reference: {},
  ...more,
})

/** `fails`: what the runner, or the gateway, says of everything; `files`: what the runner says of files alone. */
const intakeOf = (fails: { runner?: Code; gateway?: Code; files?: Code } = {}): Intake => {
  const unless = <T>(code: Code | undefined, result: T): Promise<T> =>
    code === undefined ? Promise.resolve(result) : Promise.reject(new ServiceError(code))
  return {
    gateway: { admit: () => unless(fails.gateway, admission) },
    runner: {
      receive: () => unless(fails.runner, taken),
      fileBegin: () => unless(fails.files ?? fails.runner, { upload: 'u' as never }),
      filePart: () => Promise.resolve({}),
      fileEnd: () => Promise.resolve({}),
      fileDrop: () => Promise.resolve({}),
    },
    budget: createBuckets({ perSecond: limits.channelPerMinute / 60, burst: 2 }),
    turns: new KeyedQueue(),
    patience: new HoldTimeout(),
    decide: () => Promise.resolve('decided'),
    explain: () => 'unclear',
    metrics: createMetrics('channels'),
    log: silentLogger,
  }
}

test('a conversation whose queue cannot be read is full, as one without room is: nothing else waits for it', async () => {
  for (const code of ['conflict', 'queue-full'] as const)
    assert.equal(await takeMessage(intakeOf({ runner: code }), 'email', { message: letter('t') }), 'full', code)
})

test('while a part of the unit is away a message is neither taken nor let go of', async () => {
  for (const code of ['unavailable', 'deadline', 'internal'] as const) {
    await assert.rejects(takeMessage(intakeOf({ runner: code }), 'email', { message: letter('t') }), { code })
    await assert.rejects(takeMessage(intakeOf({ gateway: code }), 'email', { message: letter('t') }), { code })
  }
})

test('who brings a message is told its conversation, and says whether an earlier one of it waits', async () => {
  const intake = intakeOf()
  const told: string[] = []
  const isBehind = (conversation: string): boolean => told.push(conversation) > 0 && conversation.endsWith(':stuck')
  assert.equal(await takeMessage(intake, 'email', { message: letter('stuck'), isBehind }), 'busy')
  assert.equal(await takeMessage(intake, 'email', { message: letter('other'), isBehind }), 'accepted')
  assert.deepEqual(told, ['email:agents@example.org:thread:stuck', 'email:agents@example.org:thread:other'])
})

test('a message that waits behind another uses up nothing of what its conversation may bring', async () => {
  const intake = intakeOf()
  for (let time = 0; time < 5; time += 1)
    assert.equal(await takeMessage(intake, 'email', { message: letter('t'), isBehind: () => true }), 'busy')
  for (const outcome of ['accepted', 'accepted', 'busy'])
    assert.equal(await takeMessage(intake, 'email', { message: letter('t'), isBehind: () => false }), outcome)
})

test('a message whose files can be put nowhere waits for them so long and no longer, then comes without and says so', async (t) => {
  const clock = clockOf(t)
  const intake = intakeOf({ files: 'unavailable' })
  const texts: string[] = []
  const receive: Intake['runner']['receive'] = ({ text }) => {
    texts.push(text)
    return Promise.resolve(taken)
  }
  const files = ['a', 'b'].map((name) => ({ name, size: 1, read: () => Promise.resolve(Buffer.from(name)) }))
  const come = () => takeMessage({ ...intake, runner: { ...intake.runner, receive } }, 'slack', { message: letter('t', { files }) })
  await assert.rejects(come(), { code: 'unavailable' })
  clock.ahead += limits.channelHold + 1
  assert.equal(await come(), 'accepted')
  assert.deepEqual(texts, ['hello\n[2 of the files were not stored: they could not be downloaded, or the workspace was unavailable]'])
})
