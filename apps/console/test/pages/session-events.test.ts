// The events of a session in one order, and the axis on which they are drawn.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry, CallRecord, ChatMessage } from '@gatehouse/contracts'
import { axisOf } from '../../src/pages/sessions/axis.ts'
import { type SessionEvent, sessionEvents } from '../../src/pages/sessions/session-events.ts'

const noon = Date.parse('2026-11-28T12:00:00.000Z')
const timeOf = (seconds: number): string => new Date(noon + seconds * 1_000).toISOString()

const line = ([seq, stage, seconds]: readonly [number, string, number], detail: AuditEntry['detail'] = {}): AuditEntry => ({
  seq,
  stage,
  time: timeOf(seconds),
  edge: 'gateway.runner',
  principal: 'runner',
  detail: { session: 'ses_a', ...detail },
  prev: '',
  hash: '',
})
const none = { audit: [], messages: [], calls: [], models: [], changes: [] }
const told = (events: readonly SessionEvent[]): unknown[] =>
  events.map(({ title, text = '', duration, isOpen }) => [title, text, isOpen === true ? 'open' : duration])

test('a launch lasts until the end of its own sandbox, and the last one goes on', () => {
  const audit = [
    line([9, 'launch', 60], { driver: 'oci' }),
    line([4, 'launch', 0], { driver: 'oci' }),
    line([7, 'kill', 30], { why: 'narrowed', code: null }),
  ]
  assert.deepEqual(told(sessionEvents({ ...none, audit }, true)), [
    ['Sandbox launched', 'oci', 30_000],
    ['Sandbox killed', 'narrowed', undefined],
    ['Sandbox launched', 'oci', 'open'],
  ])
  const [, , last] = sessionEvents({ ...none, audit }, false)
  assert.deepEqual([last?.isOpen, last?.duration], [undefined, undefined])
})

test('a call began its duration before its record, and an answer says how long it took', () => {
  const call: CallRecord = {
    id: 'c1',
    time: timeOf(5),
    session: 'ses_a',
    agentGroupID: 'support',
    server: 'tickets',
    tool: 'search',
    op: 'call',
    status: 'refused',
    code: 'not-granted',
    bytes: 10,
    duration: 2_000,
  }
  const said = (id: string, seconds: number, inReplyTo?: string) =>
    ({
      id,
      from: inReplyTo === undefined ? 'user' : 'agent',
      seq: seconds,
      text: 'x',
      conversationId: 'c',
      at: timeOf(seconds),
      ...(inReplyTo && { inReplyTo }),
    }) as ChatMessage
  const events = sessionEvents({ ...none, calls: [call], messages: [said('m1', 1), said('m2', 6, 'm1')] }, false)
  assert.deepEqual(
    events.map(({ title, at, tag }) => [title, (at - noon) / 1_000, tag]),
    [
      ['Message to the agent', 1, undefined],
      ['Called tickets', 3, 'not-granted'],
      ['Answer of the agent', 6, 'after 5.0 s'],
    ],
  )
})

test('a long idle time is a short gap on the axis, and seconds keep their length', () => {
  const event = (seconds: number, duration?: number): SessionEvent => ({
    key: String(seconds),
    lane: 'calls',
    at: noon + seconds * 1_000,
    title: '',
    tone: '',
    sign: 'call',
    ...(duration !== undefined && { duration }),
  })
  const axis = axisOf([event(0, 10_000), event(7_200), event(7_210)], noon)
  assert.deepEqual(
    axis.gaps.map(({ from, to, length }) => [from, to, length]),
    [[0.25, 0.75, 7_190_000]],
  )
  assert.deepEqual(
    [0, 5, 10, 7_200, 7_205, 7_210].map((seconds) => axis.place(noon + seconds * 1_000)),
    [0, 0.125, 0.25, 0.75, 0.875, 1],
  )
})
