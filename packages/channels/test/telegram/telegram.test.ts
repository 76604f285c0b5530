// The channel of Telegram against a Bot API of our own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OutboundFailure } from '@gatehouse/outbound'
import { ChannelFault } from '../../src/channel.ts'
import { parseCommand } from '../../src/commands/command.ts'
import { type Bot, createBot } from '../../src/telegram/bot.ts'
import { filesOf } from '../../src/telegram/read.ts'
import { type ReceiveOptions, hearTelegram, keptWith as keptIn, outgoing, until, way } from '../fixtures/listener.ts'
import { failureOf, never } from '../fixtures/sending.ts'
import { ann, bot, group, startTelegram, type TelegramServer } from '@gatehouse/testkit/telegram-server'

let server: TelegramServer
let options: ReturnType<typeof hearTelegram>

before(async () => {
  server = await startTelegram()
  options = hearTelegram(server)
})
after(async () => {
  await options.stop()
  await server.close()
})

const keptWith = (text: string, from: ReceiveOptions = options) => keptIn(from, text)

test('a message of a group comes with its place, its writer and what an answer needs', async () => {
  const id = server.say({ text: 'good morning' })
  const { files, ...message } = await keptWith('good morning')
  assert.deepEqual(message, {
    id: `${group.id}:${id}`,
    address: String(group.id),
    thread: undefined,
    user: String(ann.id),
    mentioned: false,
    automatic: false,
    text: 'good morning',
    reference: { message: id, private: false },
  })
  assert.deepEqual(files, [])
  await until('it to be up', () => options.line.state.state === 'up')
  assert.equal(options.line.state.account, `@${bot.username}`)
})

test('the bot is spoken to by its name, its commands, an answer to it and in private; by nothing else', async () => {
  const name = `@${bot.username}`
  const entity = (type: string, length: number, more: object = {}) => ({ entities: [{ type, offset: 0, length, ...more }] })
  const cases: [string, string, boolean, Parameters<TelegramServer['say']>[0]][] = [
    ['its name', 'one', true, { text: `${name} one`, more: entity('mention', name.length) }],
    ['its name in capitals', 'two', true, { text: `${name.toUpperCase()} two`, more: entity('mention', name.length) }],
    ['its command', '/do three', true, { text: `/do${name} three`, more: entity('bot_command', name.length + 3) }],
    ['its person', 'four', true, { text: 'Gate four', more: entity('text_mention', 4, { user: { id: bot.id } }) }],
    ['an answer to it', 'five', true, { text: 'five', more: { reply_to_message: { message_id: 1, from: bot } } }],
    ['private', 'six', true, { text: 'six', chat: { id: ann.id, type: 'private' } }],
    ['text that looks like its name', `${name} seven`, false, { text: `${name} seven` }],
    ['a longer name', `${name}2 eight`, false, { text: `${name}2 eight`, more: entity('mention', name.length + 1) }],
    ['the command of another bot', '/do@other nine', false, { text: '/do@other nine', more: entity('bot_command', 9) }],
    ['a command for anybody', '/do ten', false, { text: '/do ten', more: entity('bot_command', 3) }],
  ]
  for (const [title, text, mentioned, said] of cases) {
    server.say(said)
    assert.equal((await keptWith(text)).mentioned, mentioned, title)
  }
})

test('bots, ourselves and groups that speak as a person are automatic', async () => {
  server.say({ text: 'of a bot', from: { ...ann, id: 9, is_bot: true } })
  server.say({ text: 'of ourselves', from: bot })
  server.say({ text: 'of the group', more: { sender_chat: group } })
  server.say({ text: 'of a channel', more: { is_automatic_forward: true } })
  for (const text of ['of a bot', 'of ourselves', 'of the group', 'of a channel'])
    assert.equal((await keptWith(text)).automatic, true, text)
})

test('what was sent on, or written by a bot for a person, is heard and decides nothing', async () => {
  const marks = [{ forward_origin: { type: 'user', date: 1, sender_user: bot } }, { forward_date: 1 }, { via_bot: { ...bot, id: 9 } }]
  const lines = marks.map((_, index) => `approve 125301.12${index} 3f2a9c1b77d0e4a5`)
  for (const [index, more] of marks.entries()) server.say({ text: lines[index] ?? '', more })
  for (const line of lines) assert.equal((await keptWith(line)).unquotedText, '')
  server.say({ text: 'approve 125301.129 3f2a9c1b77d0e4a5' })
  assert.equal((await keptWith('approve 125301.129 3f2a9c1b77d0e4a5')).unquotedText, undefined)
})

test('what is set as a quotation or as code is heard and decides nothing; what stands behind own words does no harm', async () => {
  const line = (index: number): string => `approve 125301.13${index} 3f2a9c1b77d0e4a5`
  const apart = (type: string, offset: number, length: number) => ({ entities: [{ type, offset, length }] })
  for (const [index, type] of ['blockquote', 'expandable_blockquote', 'code', 'pre'].entries()) {
    server.say({ text: line(index), more: apart(type, 0, line(index).length) })
    assert.equal(parseCommand((await keptWith(line(index))).unquotedText ?? line(index)), undefined, type)
  }
  const said = `${line(9)} as in this`
  server.say({ text: said, more: apart('code', said.length - 4, 4) })
  assert.equal(parseCommand((await keptWith(said)).unquotedText ?? '')?.reason, 'as in `this`')
})

test('a topic of a forum is a thread, a chain of answers is none', async () => {
  server.say({ text: 'in a topic', more: { message_thread_id: 7, is_topic_message: true } })
  server.say({ text: 'in a chain', more: { message_thread_id: 8 } })
  const topic = await keptWith('in a topic')
  assert.equal(topic.thread, '7')
  assert.equal((await keptWith('in a chain')).thread, undefined)
  await options.channel.send(outgoing(topic, 'to the topic'), never())
  const { message_thread_id, reply_parameters } = server.sent.at(-1) ?? assert.fail()
  assert.deepEqual([message_thread_id, reply_parameters?.message_id], [7, topic.reference['message']])
})

test('what has no text, no place or another form passes and holds nothing up', async () => {
  for (const message of [null, 'text', {}, { message_id: 'x' }, { message_id: 1, chat: { id: 1.5, type: 'group' } }])
    server.telegram.push({ update_id: server.telegram.nextUpdate(), message })
  server.say({ text: 'behind the unreadable one' })
  await keptWith('behind the unreadable one')
})

test('an update that comes twice, and a message under two updates, are one message', async () => {
  const { kept, brought } = options
  server.fail('getUpdates', 'lost')
  const message = { message_id: server.telegram.nextMessage(), chat: group, from: ann, text: 'twice' }
  for (let time = 0; time < 2; time += 1) server.telegram.push({ update_id: server.telegram.nextUpdate(), message })
  server.say({ text: 'after twice' })
  await keptWith('after twice')
  assert.equal(kept.filter(({ text }) => text === 'twice').length, 1)
  assert.ok(brought.filter(({ text }) => text === 'twice').length >= 2)
})

test('what was not taken is brought again, in the order of its place, while other places go on', async () => {
  const other = { id: -42, type: 'group' }
  options.outcomes.push('busy', 'accepted')
  const numbers = [1, 2, 3].map(() => [server.telegram.nextUpdate(), server.telegram.nextMessage()] as const)
  const texts = ['held', 'elsewhere', 'behind held']
  server.telegram.chats.add(String(other.id))
  const updates = numbers.map(([update_id, message_id], index) => {
    return { update_id, message: { message_id, chat: index === 1 ? other : group, from: ann, text: texts[index] } }
  })
  server.telegram.updates.push(...updates)
  server.telegram.wake()
  await keptWith('behind held')
  assert.deepEqual(
    options.kept.filter(({ text }) => texts.includes(text)).map(({ text }) => text),
    ['elsewhere', 'held', 'behind held'],
  )
})

test('a message that the unit could not keep is not forgotten at Telegram', async () => {
  options.outcomes.push(undefined, undefined)
  server.say({ text: 'kept at the third try' })
  await keptWith('kept at the third try')
  assert.ok(options.brought.filter(({ text }) => text === 'kept at the third try').length >= 3)
})

test('after a death what was not dealt with comes again, and nothing else', async () => {
  const fresh = await startTelegram()
  const first = hearTelegram(fresh)
  fresh.say({ text: 'dealt with' })
  await keptWith('dealt with', first)
  first.outcomes.push(...Array.from({ length: 1000 }, () => undefined))
  fresh.say({ text: 'left behind' })
  await until('it to be brought', () => first.brought.some(({ text }) => text === 'left behind'))
  await first.stop()
  const second = hearTelegram(fresh)
  await keptWith('left behind', second)
  assert.ok(!second.kept.some(({ text }) => text === 'dealt with'))
  await second.stop()
  await fresh.close()
})

test('an answer is plain text, answers its message, and is well-formed whatever the agent wrote', async () => {
  server.say({ text: 'what is it?' })
  const message = await keptWith('what is it?')
  await options.channel.send(outgoing(message, '*bold* <b>&amp;</b> https://evil.example \ud83d'), never())
  const { chat_id, text, parse_mode, entities, reply_parameters, link_preview_options } = server.sent.at(-1) ?? assert.fail()
  assert.deepEqual([chat_id, text], [String(group.id), '*bold* <b>&amp;</b> https://evil.example \ufffd'])
  assert.deepEqual([parse_mode, entities, link_preview_options], [undefined, undefined, { is_disabled: true }])
  assert.deepEqual(reply_parameters, { message_id: message.reference['message'], allow_sending_without_reply: true })
})

test('a refusal is waited out as long as it asks, becomes a dead letter, or is tried again, as it deserves', async () => {
  server.say({ text: 'an answer, please' })
  const message = await keptWith('an answer, please')
  const send = (more: object = {}) =>
    failureOf(options.channel.send({ ...outgoing(message, 'what only the agent said'), ...more }, never()))
  const attempt = (answer: Parameters<TelegramServer['fail']>[1]) => {
    server.fail('sendMessage', answer)
    return send()
  }
  const limited = await attempt({ error_code: 429, description: 'Too Many Requests: retry after 7', parameters: { retry_after: 7 } })
  assert.deepEqual([limited.kind, limited.after, limited.everywhere], ['later', 7000, true])
  options.log.error('all of it', { failure: limited, cause: limited.cause, inner: { ...(limited.cause as object) } })
  assert.ok(!options.lines.join('\n').includes('what only the agent said'))
  for (const retry_after of ['soon', '7', {}, null, Number.MAX_VALUE]) {
    const odd = await attempt({ error_code: 429, description: 'Too Many Requests', parameters: { retry_after: retry_after as number } })
    const expected = retry_after === '7' ? 7000 : retry_after === Number.MAX_VALUE ? 3_600_000 : 1000
    assert.deepEqual([odd.kind, odd.after], ['later', expected], JSON.stringify(retry_after))
  }
  assert.equal((await attempt({ error_code: 403, description: 'Forbidden: bot was kicked from the group chat' })).kind, 'never')
  const moved = await attempt({ error_code: 400, description: 'group chat was upgraded', parameters: { migrate_to_chat_id: -100_77 } })
  assert.deepEqual([moved.kind, moved.message.includes('-10077')], ['never', true])
  for (const answer of [{ error_code: 500, description: 'Internal' }, 'cut', 'garbage', 'redirect'] as const)
    assert.equal((await attempt(answer)).kind, 'later', JSON.stringify(answer))
  assert.equal((await send({ address: '-999' })).kind, 'never')
  assert.equal((await send({ text: 'x'.repeat(4097) })).kind, 'never')
  assert.equal((await send({ reference: {} })).kind, 'never')
})

test('a file is fetched when it is read, and one that is not to be had is no reason to ask again', async () => {
  server.telegram.files.set('file-1', Buffer.from('contents'))
  server.say({ more: { caption: 'with files', document: { file_id: 'file-1', file_name: 'a b.txt', file_size: 8 } } })
  server.say({ more: { caption: 'with a lost file', photo: [{ file_id: 'small' }, { file_id: 'gone' }] } })
  const [file] = (await keptWith('with files')).files
  assert.deepEqual([file?.name, file?.size], ['a b.txt', 8])
  assert.equal(Buffer.from((await file?.read()) ?? []).toString(), 'contents')
  const [lost] = (await keptWith('with a lost file')).files
  assert.equal(lost?.name, 'photo.jpg')
  await assert.rejects(lost?.read() ?? Promise.resolve(), { code: 'not-found' })
})

test('a moment of trouble with a file is none of the file: it is asked for again', async () => {
  server.telegram.files.set('file-2', Buffer.from('late'))
  server.say({ more: { caption: 'with a late file', document: { file_id: 'file-2', file_name: 'late.txt' } } })
  const [file] = (await keptWith('with a late file')).files
  assert.ok(file)
  for (const error_code of [408, 429, 500]) {
    server.fail('download', { error_code, description: 'not now' })
    await assert.rejects(file.read(), (error) => error instanceof ChannelFault && error.kind === 'away', String(error_code))
  }
  assert.equal(Buffer.from(await file.read()).toString(), 'late')
  server.fail('download', { error_code: 403, description: 'never' })
  await assert.rejects(file.read(), { code: 'not-found' })
})

test('a proxy that does not connect loses no file, as an address that may not be dialled does', async () => {
  server.telegram.files.set('file-3', Buffer.from('behind a proxy'))
  const whole = createBot({ credentials: { token: server.token, url: server.url }, ...way })
  const readBy = (kind: OutboundFailure['kind']): Promise<Uint8Array> => {
    const cut: Bot = { ...whole, download: () => Promise.reject(new OutboundFailure(kind)) }
    const [file] = filesOf(cut, { message_id: 1, chat: { id: 1, type: 'private' }, document: { file_id: 'file-3' } })
    return file?.read() ?? assert.fail()
  }
  await assert.rejects(readBy('proxy'), (error) => error instanceof ChannelFault && error.kind === 'away')
  for (const kind of ['address-refused', 'redirected', 'too-large'] as const) await assert.rejects(readBy(kind), { code: 'not-found' })
  await whole.close()
})

test('a pause that Telegram asks for is kept, and a connection that ends is made anew', async () => {
  server.fail('getUpdates', { error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } })
  server.telegram.wake()
  server.say({ text: 'after the pause' })
  await keptWith('after the pause')
  server.cut()
  server.say({ text: 'after the cut' })
  await keptWith('after the cut')
})

test('somebody else who reads with the same token is named, and a webhook that is set', async () => {
  server.state.hasWebhook = true
  server.telegram.wake()
  await until('it to be down', () => options.line.state.state === 'down')
  assert.match(options.line.state.reason ?? '', /same token, or a webhook/)
  server.state.hasWebhook = false
  await until('it to be up', () => options.line.state.state === 'up')
})

test('a token that is revoked in mid-life is said so, is asked about seldom, and holds what is to be sent', async () => {
  const fresh = await startTelegram('987654321:canary-canary-canary-canary-canary')
  const own = hearTelegram(fresh)
  fresh.say({ text: 'before' })
  const message = await keptWith('before', own)
  fresh.state.isRevoked = true
  fresh.telegram.wake()
  fresh.cut()
  await until('it to be refused', () => own.line.state.state === 'refused')
  assert.match(own.line.state.reason ?? '', /revoked/)
  const failure = await failureOf(own.channel.send(outgoing(message, 'x'), never()))
  assert.deepEqual([failure.kind, failure.everywhere, (failure.after ?? 0) >= 60_000], ['later', true, true])
  await assert.rejects(own.channel.verify(never()), (error) => error instanceof ChannelFault && error.kind === 'refused')
  const printed = [...own.lines, String(failure.stack), JSON.stringify(own.line.state)].join('\n')
  await own.stop()
  await fresh.close()
  for (const secret of [fresh.token, 'canary', 'before']) assert.ok(!printed.includes(secret), secret)
})

test('a server that is not there is away, and no error of the client names the token', async () => {
  const gone = await startTelegram('987654321:canary-canary-canary-canary-canary')
  await gone.close()
  const own = hearTelegram(gone)
  await until('it to be down', () => own.line.state.state === 'down')
  assert.match(own.line.state.reason ?? '', /unreachable/)
  const fault: unknown = await own.channel.verify(never()).catch((error: unknown) => error)
  assert.ok(fault instanceof ChannelFault)
  own.log.error('all of it', { fault, cause: fault.cause })
  await own.stop()
  assert.ok(!own.lines.join('\n').includes('canary'))
})
