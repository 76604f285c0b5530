// One e-mail as a message: the parts that a person or a machine could try to bend.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEmail } from '../../src/email/read.ts'
import { account, vouched } from '../fixtures/mail.ts'

const read = (...lines: string[]) => readEmail(Buffer.from([vouched, ...lines].join('\r\n')), account, '<uid-1-2>')
const plain = ['From: Ann <Ann@Example.org>', 'To: agents@example.org', 'Message-ID: <m1@example.org>']

test('knows the sender by its address in lower case, vouched for, and to whom it wrote', async () => {
  const message = await read(...plain, 'Subject: S', '', 'text')
  assert.deepEqual(
    [message.user, message.unauthenticated, message.automatic, message.address, message.mentioned, message.text],
    ['ann@example.org', false, false, 'agents@example.org', true, 'Subject: S\n\ntext'],
  )
})

test('an address with a suffix is an address of its own, and one that was only sent a copy was not spoken to', async () => {
  const suffix = await read('From: ann@example.org', 'To: x@y.example', 'Cc: Agents+Ops@example.org', '', 'text')
  assert.deepEqual([suffix.address, suffix.mentioned, suffix.id], ['agents+ops@example.org', false, '<uid-1-2> ann@example.org'])
  const elsewhere = await read('From: ann@example.org', 'To: agents@example.org.evil', '', 'text')
  assert.deepEqual([elsewhere.address, elsewhere.mentioned], ['agents@example.org', false])
})

test('a thread is known by its first message, and by our own ids where the rest was forgotten', async () => {
  const { thread } = await read(...plain, '', 'text')
  assert.match(thread ?? '', /^[0-9a-f]{24}$/)
  const reply = (headers: string[]) => read('From: ann@example.org', 'Message-ID: <m9@x>', ...headers, '', 'text')
  for (const headers of [
    ['References: <m1@example.org> <m2@x>', 'In-Reply-To: <m2@x>'],
    ['In-Reply-To: <m1@example.org>'],
    [`In-Reply-To: <msg_${'0'.repeat(32)}.${thread}@example.org>`],
    [`References: <cut@x> <msg_${'0'.repeat(32)}.${thread}@example.org>`],
  ])
    assert.equal((await reply(headers)).thread, thread)
})

test('nobody has an odd address', async () => {
  for (const header of [
    'From: "ann@example.org" <mallory@evil.example>',
    'From: ann@example.org\r\n bcc@evil.example',
    'From: <ann@example.org>, <mallory@evil.example>',
    'From: group: ann@example.org;',
    'From: "a b"@example.org',
    'From: ann@exam\u0440le.org',
    'From: ann',
    'From: =?utf-8?q?ann=40example.org?=',
    'X-From: ann@example.org',
  ]) {
    const message = await read(header, 'To: agents@example.org', '', 'text')
    assert.ok(message.user !== 'ann@example.org' || message.unauthenticated === true, header)
    assert.ok(message.automatic || message.unauthenticated === true, header)
  }
})

test('only ASCII and header names by their grammar prove a sender', async () => {
  const message = async (lines: readonly string[]) =>
    readEmail(Buffer.from([...lines, 'To: agents@example.org', '', 'text'].join('\r\n')), account, '<u>')
  const from = 'From: kim@example.org'
  assert.equal((await message([vouched, from])).unauthenticated, false)
  assert.equal((await message([vouched, 'From: "Kim \u00e4" <Kim@Example.org>', 'Subject: \u00e4'])).unauthenticated, false)
  const odd: (readonly string[])[] = [
    [vouched, 'From: \u212aim@example.org'],
    [vouched, 'From: Kim <\u212aim@example.org>'],
    [vouched, 'From: kim@e\u200bxample.org'],
    [vouched, 'From : kim@example.org'],
    [vouched, from, 'From : mallory@evil.example'],
    [vouched.replace(':', ' :'), from],
    [vouched.replace(':', '\t:'), from],
    [vouched.replace('dmarc', 'dm\0arc'), from],
    [vouched.replace('dmarc', 'dmar\u0441'), from],
    [vouched.replace('header', '\u212aheader'), from],
    [vouched.replace('; ', ';\r'), from],
    [vouched, from, 'X-Odd: a\0b'],
    [vouched, from, 'X-Odd: a\rFrom: mallory@evil.example'],
    [vouched, from, 'X Odd: a'],
    [vouched, from, 'no colon'],
    [vouched, from, 'X-\u00c4: a'],
    [' folded into nothing', vouched, from],
  ]
  for (const lines of odd) assert.equal((await message(lines)).unauthenticated, true, JSON.stringify(lines))
})

test('an address of ours is found in ASCII alone', async () => {
  const { address } = await read('From: ann@example.org', 'To: agents+K@example.org', 'Delivered-To: Agents+\u212a@example.org', '', 'text')
  assert.equal(address, 'agents+k@example.org')
  const odd = await read('From: ann@example.org', 'Delivered-To: agents+\u212a@example.org', '', 'text')
  assert.equal(odd.address, 'agents@example.org')
})

test('a sender behind a long run of blanks is nobody, and is refused before it is read', async () => {
  for (const blanks of [2_000, 200_000]) {
    const message = await read(`From: a${' '.repeat(blanks)} <ann@example.org>`, 'To: agents@example.org', '', 'text')
    assert.deepEqual([message.user, message.unauthenticated, message.automatic], ['nobody', true, true])
  }
})

test('a sender has its name in quotes or not, or none, with blanks around it', async () => {
  const address = 'ann@example.org'
  const headers = [`"A, \\"B\\" <x@y>" <${address}>`, `Ann B <${address}>`, `<${address}>`, `Ann<${address}>`, `  ${address}  `]
  for (const header of headers) assert.equal((await read(`From: ${header}`, '', 'text')).user, address, header)
})

test('what is quoted at the end is left out, unless nothing else is there', async () => {
  const body = async (text: string) => (await read('From: ann@example.org', 'In-Reply-To: <x@y>', '', text)).text
  assert.equal(await body('yes\r\n\r\nOn Monday Bob wrote:\r\n> no\r\n> never\r\n'), 'yes')
  assert.equal(await body('> question\r\nanswer'), '> question\nanswer')
  assert.equal(await body('> all is quoted'), '> all is quoted')
  assert.equal(await body('a list:\r\n- one'), 'a list:\n- one')
})

test('what is nested too deep, or has headers without end, is no e-mail that is read', async () => {
  const nested = Array.from({ length: 64 }, (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`).join(
    '',
  )
  await assert.rejects(read('From: ann@example.org', nested))
  await assert.rejects(
    read('From: ann@example.org', ...Array.from({ length: 4_000 }, (_, at) => `X-${at}: ${'x'.repeat(100)}`), '', 'text'),
  )
})
