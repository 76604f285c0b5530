// Letters to a server that behaves badly, each time in one way: what is tried again, what never is, and what is never said twice
// under two names.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SendFailure } from '../../src/channel.ts'
import { hear, outgoing } from '../fixtures/listener.ts'
import { emailAt, place, reference } from '../fixtures/mail.ts'
import { failureOf, never } from '../fixtures/sending.ts'
import { startSmtp, type Step } from '../fixtures/smtp-server.ts'

const password = 'canary-of-the-mailbox'

let server: Awaited<ReturnType<typeof startSmtp>>
let email: ReturnType<typeof emailAt>

const open = (port = server.port) => emailAt({ ...server, port }, { password })

before(async () => {
  server = await startSmtp()
  email = open()
})
after(async () => {
  await email.close()
  await server.close()
})

const send = (text = 'hello', more: object = {}) => email.send({ ...outgoing(place, text), ...more }, never())

const faults: readonly (readonly [string, Step, string, SendFailure['kind']])[] = [
  ['too many at once', 'greeting', '421 4.7.0 too many connections, try later', 'later'],
  ['a connection that ends at once', 'greeting', 'cut', 'later'],
  ['a password that was taken away', 'auth', '535 5.7.8 wrong', 'later'],
  ['a login that does not work now', 'auth', '454 4.7.0 not now', 'later'],
  ['a receiver who is to wait', 'to', '451 4.7.1 greylisted, try again in 300 seconds', 'later'],
  ['a full mailbox', 'to', '452 4.2.2 full', 'later'],
  ['a receiver who is not there', 'to', '550 5.1.1 no such person', 'never'],
  ['a rate limit', 'data', '450 4.7.0 rate limited', 'later'],
  ['a connection that ends within the letter', 'data', 'cut', 'later'],
  ['a letter that is refused', 'end', '554 5.7.1 refused', 'never'],
  ['a disk that is full', 'end', '452 4.3.1 no room', 'later'],
  ['a connection that ends in place of an answer', 'end', 'cut', 'later'],
]

test('each trouble is tried again or given up as it deserves, and the next letter goes out', async () => {
  for (const [name, at, answer, kind] of faults) {
    const before = server.posted.length
    server.fail(at, answer)
    const failure = await failureOf(send(name))
    assert.equal(failure.kind, kind, name)
    assert.equal(server.posted.length, before, name)
    await send(name)
    assert.equal(server.posted.length, before + 1, name)
  }
})

test('an e-mail of an agent never begins with a decision', async () => {
  const decision = 'approve chg_20261123101500.123456789 0a1b2c3d'
  await send(decision)
  await send(`\n  ${decision}`)
  for (const { text } of server.posted.slice(-2)) assert.match(text, /\n\nThe agent writes:\n/)
  await send(`I asked for this: ${decision}`)
  assert.doesNotMatch(server.posted.at(-1)?.text ?? '', /The agent writes/)
})

test('a letter that was taken without an answer comes again under the same id', async () => {
  const from = server.posted.length
  server.fail('end', 'lost')
  assert.equal((await failureOf(send('lost'))).kind, 'later')
  await send('lost')
  const ids = server.posted.slice(from).map(({ text }) => /^Message-ID: (.*)$/m.exec(text)?.[1])
  assert.deepEqual(ids, [`<msg_1.${'f'.repeat(24)}@example.org>`, `<msg_1.${'f'.repeat(24)}@example.org>`])
})

test('a server that is not there, and a certificate of a stranger, are waited out', async () => {
  const gone = open(9)
  assert.equal((await failureOf(gone.send(outgoing(place, 'x'), never()))).kind, 'later')
  await gone.close()
  const other = await startSmtp()
  const distrusted = open(other.port)
  assert.equal((await failureOf(distrusted.send(outgoing(place, 'x'), never()))).kind, 'later')
  assert.deepEqual(other.posted, [])
  await distrusted.close()
  await other.close()
})

test('what goes to no plain address is given up before anything is said to the server', async () => {
  for (const to of ['kim', 'kim@example.org, x@y.example', 'kim@example.org\r\nBcc: x@y.example', '']) {
    const from = server.posted.length
    assert.equal((await failureOf(send('x', { reference: { ...reference, to } }))).kind, 'never', to)
    assert.equal(server.posted.length, from)
  }
})

test('no subject, name or text makes a header or another receiver, and an answer says that a machine wrote it', async () => {
  const evil = 'x\r\nBcc: mallory@evil.example\r\n\r\nbody\u2028\u202e'
  const letters: [object, string][] = [
    [{ ...reference, subject: evil }, 'auto-replied'],
    [{ to: 'kim@example.org', subject: evil, references: [], opens: true }, 'auto-generated'],
  ]
  for (const [own, submitted] of letters) {
    await send(`.\r\n.\r\nBcc: mallory@evil.example`, { reference: own })
    const { to, text } = server.posted.at(-1) ?? assert.fail()
    const [head = ''] = text.split('\n\n')
    assert.deepEqual(to, ['kim@example.org'])
    assert.doesNotMatch(head, /^bcc:/im)
    assert.match(head, /^Subject: (?:Re: )?x Bcc: mallory@evil\.example body$/m)
    assert.match(head, new RegExp(`^Auto-Submitted: ${submitted}$`, 'm'))
  }
})

test('nothing of the password is in what is said of a trouble', async () => {
  const { line, log, lines, stop } = hear(() => open())
  server.fail('auth', `535 5.7.8 ${Buffer.from(password).toString('base64')} ${password}`)
  const failure = await failureOf(send())
  log.error('all of it', { failure, cause: failure.cause })
  assert.ok(!failure.message.includes('canary'))
  await stop()
  assert.notEqual(line.state.state, 'up')
  assert.ok(!lines.join('\n').includes(password), lines.join('\n'))
})
