// Files to Telegram: a document each, under its name and as it is.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { silentLogger } from '@gatehouse/kernel'
import type { Outgoing, SendFailure } from '../../src/channel.ts'
import { createTelegram } from '../../src/telegram/telegram.ts'
import { outgoing, way } from '../fixtures/listener.ts'
import { bytesOfFile, failureOf, fileNamed, never } from '../fixtures/sending.ts'
import { group, startTelegram, type TelegramServer } from '@gatehouse/testkit/telegram-server'
import { loadWeakened } from '../fixtures/weakened.ts'

const address = String(group.id)
const reference = { message: 41, private: false }

let server: TelegramServer
let telegram: ReturnType<typeof createTelegram>

const telegramOf = (make: typeof createTelegram) =>
  make({ credentials: { token: server.token, url: server.url }, ...way, log: silentLogger })

before(async () => {
  server = await startTelegram()
  telegram = telegramOf(createTelegram)
  server.say({ text: 'somebody is there' })
})
after(async () => {
  await telegram.close()
  await server.close()
})

const messageWith = (name: string, more: Partial<Outgoing> = {}): Outgoing =>
  outgoing({ address, thread: undefined, reference }, '', { files: [fileNamed(name)], ...more })
const send = (name = 'report.bin', more: Partial<Outgoing> = {}) => telegram.send(messageWith(name, more), never())

const lastOf = () => server.documents.at(-1) ?? assert.fail('nothing was sent')

test('a file goes to its topic as an answer, whole, under its name, and nothing is made of it', async () => {
  await send('animation.gif', { thread: '7' })
  const reply = { message_id: 41, allow_sending_without_reply: true }
  const document = { name: 'animation.gif', bytes: bytesOfFile }
  const more = { disable_content_type_detection: true }
  assert.deepEqual(lastOf(), { chat_id: address, document, message_thread_id: 7, reply_parameters: reply, ...more })
  await send('second.txt', { thread: '7', part: 1, parts: 2 })
  assert.deepEqual(lastOf(), { chat_id: address, document: { ...document, name: 'second.txt' }, message_thread_id: 7, ...more })
})

const hostile: readonly (readonly [string, string])[] = [
  ['a b.txt', 'a b.txt'],
  ['Prüfbericht 📄.pdf', 'Prüfbericht 📄.pdf'],
  ['x;name=chat_id', 'x;name=chat_id'],
  ['x"; name="chat_id', 'x_; name=_chat_id'],
  ['back\\"slash\\', 'back__slash_'],
  ['x\r\n\r\n--\r\ncontent-disposition:form-data;name="chat_id"', 'x____--__content-disposition:form-data;name=_chat_id_'],
  ['\ud83d.txt', '\ufffd.txt'],
]

test('whatever a name holds, it is a name and nothing else', async () => {
  for (const [name, shown] of hostile) {
    const sent = server.documents.length
    await send(name)
    assert.equal(server.documents.length, sent + 1, name)
    const { chat_id, document } = lastOf()
    assert.deepEqual([chat_id, document], [address, { name: shown, bytes: bytesOfFile }], name)
  }
})

test('the quotes around the name are there for a reason: without them it is read as more than a name', async (t) => {
  const weak = await loadWeakened<{ createTelegram: typeof createTelegram }>(t, 'telegram/telegram.ts', {
    file: 'telegram/telegram.ts',
    from: 'new InputFile(bytes, quoted(name))',
    to: 'new InputFile(bytes, name)',
  })
  const own = telegramOf(weak.createTelegram)
  const sent = server.documents.length
  await own.send(messageWith('x;name=chat_id'), never()).catch(() => undefined)
  await own.close()
  assert.ok(
    server.documents.length === sent ||
      JSON.stringify(lastOf().document) !== JSON.stringify({ name: 'x;name=chat_id', bytes: bytesOfFile }),
  )
})

const refusal = (error_code: number, description = 'no') => ({ error_code, description })
const troubles: readonly (readonly [Parameters<TelegramServer['fail']>[1], SendFailure['kind'], RegExp])[] = [
  [refusal(403, 'Forbidden: bot was blocked by the user'), 'never', /blocked/],
  [refusal(400, 'Bad Request: not enough rights to send documents to the chat'), 'never', /refused the message/],
  [refusal(413, 'Request Entity Too Large'), 'never', /too large for Telegram/],
  [{ ...refusal(400), parameters: { migrate_to_chat_id: -100_77 } }, 'never', /-10077/],
  [refusal(500), 'later', /did not accept/],
  ['cut', 'later', /did not accept/],
  ['garbage', 'later', /did not accept/],
  ['redirect', 'later', /did not accept/],
]

test('a refusal is waited out as long as it asks, becomes a dead letter, or is tried again, as it deserves', async () => {
  for (const [answer, kind, reason] of troubles) {
    const sent = server.documents.length
    server.fail('sendDocument', answer)
    const failure = await failureOf(send())
    assert.equal(failure.kind, kind, JSON.stringify(answer))
    assert.match(failure.message, reason)
    assert.equal(server.documents.length, sent)
    await send()
    assert.equal(server.documents.length, sent + 1)
  }
  server.fail('sendDocument', { ...refusal(429), parameters: { retry_after: 9 } })
  const { kind, after: pause, everywhere } = await failureOf(send())
  assert.deepEqual([kind, pause, everywhere], ['later', 9000, true])
  assert.equal((await failureOf(send('x', { address: '-999' }))).kind, 'never')
  assert.equal((await failureOf(send('x', { reference: {} }))).kind, 'never')
  server.state.isRevoked = true
  const revoked = await failureOf(send())
  server.state.isRevoked = false
  assert.deepEqual([revoked.kind, revoked.everywhere], ['later', true])
})

test('a file that was taken without an answer comes a second time', async () => {
  const sent = server.documents.length
  server.fail('sendDocument', 'lost')
  assert.equal((await failureOf(send())).kind, 'later')
  await send()
  assert.equal(server.documents.length, sent + 2)
})
