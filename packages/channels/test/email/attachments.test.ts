// Files on a letter: whole, under a name that is nothing else, and no more than the mail server takes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import type { Attachment } from 'postal-mime'
import type { Outgoing, OutgoingFile } from '../../src/channel.ts'
import type { createEmail } from '../../src/email/email.ts'
import { parseEmail } from '../../src/email/parse.ts'
import { MessageSizeLimit, sizeOf } from '../../src/email/message-size-limit.ts'
import { outgoing } from '../fixtures/listener.ts'
import { emailAt, place } from '../fixtures/mail.ts'
import { bytesOfFile, failureOf, fileNamed, never } from '../fixtures/sending.ts'
import { type Posted, startSmtp } from '../fixtures/smtp-server.ts'
import { loadWeakened } from '../fixtures/weakened.ts'

let server: Awaited<ReturnType<typeof startSmtp>>
let email: ReturnType<typeof emailAt>

before(async () => {
  server = await startSmtp()
  email = emailAt(server)
})
after(async () => {
  await email.close()
  await server.close()
})

const messageWith = (files: readonly OutgoingFile[], text = 'hello'): Outgoing => outgoing(place, text, { files })
const send = (files: readonly OutgoingFile[], text?: string, by = email) => by.send(messageWith(files, text), never())

const last = (): Posted => server.posted.at(-1) ?? assert.fail('nothing was posted')
const bytesIn = ({ content }: Attachment): Buffer => (typeof content === 'string' ? assert.fail() : Buffer.from(new Uint8Array(content)))
const headOf = ({ text }: Posted): string => text.split('\n\n')[0] ?? ''

test('a text and its files are one letter, each file whole, beside the text, and of a kind that runs nowhere', async () => {
  const names = ['a.txt', 'page.html', 'a.SVG', 'noend', 'x.constructor', 'picture.PNG', 'run.sh', 'letter.eml', 'data.csv']
  await send(names.map((name) => fileNamed(name)))
  const { text = '', attachments } = await parseEmail(Buffer.from(last().text))
  assert.equal(text.trim(), 'hello')
  const bytes = 'application/octet-stream'
  assert.deepEqual(
    attachments.map(({ filename, mimeType, disposition }) => [filename, mimeType, disposition]),
    ['text/plain', bytes, bytes, bytes, bytes, 'image/png', bytes, bytes, 'text/csv'].map((type, index) => [
      names[index],
      type,
      'attachment',
    ]),
  )
  for (const attachment of attachments) assert.ok(bytesIn(attachment).equals(bytesOfFile), attachment.filename ?? '')
  await send([fileNamed('alone.bin')], '')
  assert.equal((await parseEmail(Buffer.from(last().text))).attachments[0]?.filename, 'alone.bin')
  assert.ok(
    last()
      .text.split('\n')
      .every((line) => line.length <= 998),
  )
})

const hostile: readonly (readonly [string, string])[] = [
  ['x\r\nBcc: mallory@evil.example\r\n\r\nbody', 'x__Bcc_ mallory@evil.example____body'],
  ['"; name="other.txt', '__ name__other.txt'],
  [`x"\\`, 'file'],
  ['safe\u202Etxt.exe', 'safe_txt.exe'],
  ['Prüfbericht 📄 (neu).pdf', 'Prüfbericht _ (neu).pdf'],
  ['=?utf-8?q?a=0D=0ABcc:_x?=', '__utf-8_q_a_0D_0ABcc__x__'],
  ["utf-8''%0D%0ABcc: x", 'utf-8___0D_0ABcc_ x'],
  [`${'long '.repeat(60)}end.pdf`, `${'long '.repeat(25).slice(0, 124)}.pdf`],
  ['ü'.repeat(300), 'ü'.repeat(128)],
  ['\ud83d.txt', '_.txt'],
  ['../../etc/passwd', 'passwd'],
  ['', 'file'],
]

test('whatever a name holds, it is the name of a file and no header, no receiver and no other part', async () => {
  for (const [name, shown] of hostile) {
    await send([fileNamed(name), fileNamed('second.txt')])
    const { to, text } = last()
    assert.deepEqual(to, ['kim@example.org'], name)
    assert.doesNotMatch(headOf(last()), /^bcc:/im, name)
    assert.doesNotMatch(text, /^bcc:/im, name)
    const { attachments, headers } = await parseEmail(Buffer.from(text))
    assert.deepEqual(
      attachments.map(({ filename }) => filename),
      [shown, 'second.txt'],
      name,
    )
    assert.ok(
      attachments.every((attachment) => bytesIn(attachment).equals(bytesOfFile)),
      name,
    )
    assert.ok(!headers.some(({ key }) => key === 'bcc'), name)
    assert.ok(
      text.split('\n').every((line) => line.length <= 998),
      name,
    )
  }
})

test('a plain name is there for a reason: without it programs read in a name what it only seems to hold', async (t) => {
  const weak = await loadWeakened<{ createEmail: typeof createEmail }>(t, 'email/email.ts', {
    file: 'email/send.ts',
    from: "plainName(name, limits.channelFileName) || 'file'",
    to: 'name',
  })
  const own = emailAt(server, { make: weak.createEmail })
  await send([fileNamed('=?utf-8?q?a=0D=0ABcc:_x?=')], 'hello', own)
  await own.close()
  const [attachment] = (await parseEmail(Buffer.from(last().text))).attachments
  assert.match(attachment?.filename ?? '', /\r\nBcc: x$/)
})

test('what is said beforehand of the size of a letter is never too little', async (t) => {
  t.after(() => (server.state.largest = undefined))
  server.state.largest = 100_000_000
  const texts = ['', 'x', 'ü'.repeat(5_000), '\r\n.\r\n'.repeat(2_000), '📄\n'.repeat(3_000)]
  for (const text of texts)
    for (const count of [1, 4]) {
      const files = Array.from({ length: count }, (_, index) => fileNamed(`${'ü'.repeat(128)}${index}`, Buffer.alloc(index * 1000 + 1)))
      await send(files, text)
      const { size, text: posted } = last()
      const real = posted.split('\n').reduce((sum, line) => sum + Buffer.byteLength(line) + 2, 0)
      assert.ok(size !== undefined && size >= real, `${size} of ${real}`)
    }
  await send([])
  assert.equal(last().size, undefined)
})

test('a server that takes no letter that large is believed: files that fit go, and the rest is not tried again', async (t) => {
  t.after(() => (server.state.largest = undefined))
  const own = emailAt(server)
  assert.deepEqual(own.can.files, { size: limits.sentBytes, together: true })
  server.state.largest = 100_000
  const [small, large] = [Buffer.alloc(40_000), Buffer.alloc(60_000)]
  const posted = server.posted.length
  const failure = await failureOf(send([fileNamed('a', small), fileNamed('b', large)], 'hello', own))
  assert.deepEqual([failure.kind, failure.message], ['later', 'the mail server refused the size of the e-mail'])
  const { size } = own.can.files
  assert.ok(size >= small.length && size < small.length + large.length, String(size))
  assert.equal(server.posted.length, posted)
  await send([fileNamed('a', small)], 'hello', own)
  await own.close()
})

test('a letter that is refused for its size is too large, and a mailbox that is full is not', async () => {
  const files = [fileNamed('a', Buffer.alloc(3_000)), fileNamed('b', Buffer.alloc(5_000))]
  const tooLarge: [Parameters<typeof server.fail>[0], string][] = [
    ['from', '552 Message size exceeds maximum permitted'],
    ['end', '552 5.3.4 Message too big for system'],
    ['end', '552-5.3.4 Your message exceeded the size limits\r\n552 5.3.4 see elsewhere'],
    ['end', '554 5.2.3 Message too large'],
  ]
  for (const [at, answer] of tooLarge) {
    const own = emailAt(server)
    server.fail(at, answer)
    assert.equal((await failureOf(send(files, 'hello', own))).kind, 'later', answer)
    assert.equal(own.can.files.size, 7_999, answer)
    await own.close()
  }
  for (const answer of ['552 5.2.2 mailbox full', '554 5.7.1 refused', '550 5.6.0 no such files here']) {
    server.fail('end', answer)
    assert.equal((await failureOf(send(files))).kind, 'never', answer)
  }
  server.fail('end', '552 5.3.4 too big')
  assert.equal((await failureOf(send([]))).kind, 'never')
  assert.equal(email.can.files.size, limits.sentBytes)
})

test('what a server once said of sizes is forgotten, so that it is asked again', () => {
  const [kept, forgotten] = [new MessageSizeLimit(60_000), new MessageSizeLimit(-1)]
  const excess = { text: 'hello', files: [Buffer.alloc(1_000)], most: undefined }
  for (const room of [kept, forgotten]) room.learn(excess)
  assert.deepEqual([kept.size, forgotten.size], [999, limits.sentBytes])
  for (const most of [0, 20_000, 1_000_000]) {
    kept.learn({ text: 'hello', files: [Buffer.alloc(limits.sentBytes)], most })
    assert.ok(kept.size === 0 || sizeOf('hello', [Buffer.alloc(kept.size)]) <= most, String(most))
  }
})
