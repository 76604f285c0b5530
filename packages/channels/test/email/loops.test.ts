// Mail loops with machines that mark nothing: each ends within five answers, and no person is taken for a machine.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { Loops } from '../../src/email/loops.ts'
import { readEmail } from '../../src/email/read.ts'
import { account, vouched } from '../fixtures/mail.ts'

interface Draft {
  readonly id: string
  readonly text: string
  readonly headers?: readonly string[]
}

const read = ({ id, text, headers = [] }: Draft) =>
  readEmail(Buffer.from([vouched, 'From: kim@example.org', `Message-ID: <${id}@x>`, ...headers, '', text].join('\r\n')), account, '<u>')

/** Answers of ours to letters that come so long after each of them. */
const answersTo = async (t: TestContext, letters: readonly Draft[], delay: number): Promise<number> => {
  const clock = { now: 0 }
  const { mock } = t.mock.method(performance, 'now', () => clock.now)
  const loops = new Loops()
  let answers = 0
  for (const letter of letters) {
    const message = await read(letter)
    // What waits in the mailbox is read again and again.
    if (message.automatic || [1, 2, 3].some(() => loops.isLoop(message))) continue
    answers += 1
    loops.sent('kim@example.org')
    clock.now += delay
  }
  mock.restore()
  return answers
}

const forty = Array.from({ length: 40 }, (_, index) => index)
const second = 1_000
const away = 'Thank you for your letter. I am not in the office this week and will read it when I am back.'

/** Letters of machines, and the milliseconds after which they answer. */
const machines: readonly (readonly [string, number, (index: number) => Draft])[] = [
  ['echoes in the thread', second, (n) => ({ id: `a${n}`, text: 'echo: '.repeat(n), headers: ['References: <root@x> <msg@x>'] })],
  [
    'goes on in the thread of its first letter',
    second,
    (n) => ({ id: `g${n}`, text: `${n}`, headers: n === 0 ? ['Subject: Deploy'] : ['Subject: Re: Deploy', 'References: <g0@x> <msg@x>'] }),
  ],
  ['answers by subject', second, (n) => ({ id: `b${n}`, text: `ticket ${n}`, headers: ['Subject: Automatic reply: Re: Deploy'] })],
  ['piles up prefixes', second, (n) => ({ id: `c${n}`, text: `${n}`, headers: [`Subject: ${'Re: '.repeat(n + 1)}Deploy`] })],
  ['writes the same anew', second, (n) => ({ id: `d${n}`, text: 'away', headers: ['Subject: Away'] })],
  ['takes its time', 20 * 60 * second, (n) => ({ id: `e${n}`, text: `${away}\n\nNo. ${n}`, headers: [`Subject: Re: Deploy ${n}`] })],
]

for (const [name, delay, letter] of machines)
  test(`a loop with a machine that ${name} and marks nothing ends within five answers`, async (t) => {
    const answers = await answersTo(t, forty.map(letter), delay)
    assert.ok(answers <= 5 && answers >= 1, String(answers))
  })

/** Letters of people, each of which is answered. */
const people: readonly (readonly [string, number, (index: number) => Draft])[] = [
  [
    'says yes in a thread at the pace of a person',
    31 * second,
    (n) => ({ id: `a${n}`, text: 'go on', headers: ['References: <root@x> <msg@x>'] }),
  ],
  ['writes one letter after the other', second, (n) => ({ id: `b${n}`, text: `task ${n}` })],
  ['asks the same each day', 24 * 3600 * second, (n) => ({ id: `c${n}`, text: away, headers: ['Subject: Re: report'] })],
  ['answers many conversations at once', second, (n) => ({ id: `d${n}`, text: 'ok', headers: [`References: <root${n}@x> <msg@x>`] })],
]

for (const [name, delay, letter] of people)
  test(`a person who ${name} is answered each time`, async (t) => {
    assert.equal(await answersTo(t, forty.map(letter), delay), 40)
  })

test('a person who was as fast as a machine is heard again after a while', async (t) => {
  const clock = { now: 0 }
  t.mock.method(performance, 'now', () => clock.now)
  const loops = new Loops()
  const come = async (n: number): Promise<boolean> => {
    loops.sent('kim@example.org')
    clock.now += second
    return loops.isLoop(await read({ id: `f${n}`, text: 'ok', headers: ['References: <root@x> <msg@x>'] }))
  }
  for (const n of [0, 1, 2, 3]) assert.equal(await come(n), false)
  assert.equal(await come(4), true)
  clock.now += limits.emailMachineTime
  assert.equal(loops.isLoop(await read({ id: 'g', text: 'ok', headers: ['References: <root@x> <msg@x>'] })), false)
})

test('letters that a machine has marked are not heard at all', async () => {
  const marks = [
    'Auto-Submitted: auto-replied',
    'Auto-Submitted: auto-generated (vacation)',
    'Precedence: auto_reply',
    'Precedence: Bulk',
    'X-Auto-Response-Suppress: All',
    'X-Auto-Response-Suppress: OOF, AutoReply',
    'List-Id: <x.example.org>',
    'List-Unsubscribe: <mailto:x@example.org>',
    'X-Autoreply: yes',
    'X-Loop: x',
    'Return-Path: <>',
    'Content-Type: multipart/report; boundary=x',
    'Return-Path: <kim@example.org>\r\nReturn-Path: <>',
  ]
  for (const header of marks) assert.equal((await read({ id: 'a', text: 'x', headers: [header] })).automatic, true, header)
  for (const header of ['Auto-Submitted: no', 'X-Auto-Response-Suppress: None', 'Precedence: normal', 'X-Mailer: x'])
    assert.equal((await read({ id: 'a', text: 'x', headers: [header] })).automatic, false, header)
})

test('an e-mail of a unit is recognized by its id after a server removed its markers', async () => {
  assert.equal((await read({ id: `msg_${'0'.repeat(32)}.${'f'.repeat(24)}`, text: 'x' })).automatic, true)
})
