// Our Bot API is believed because a bot that others wrote for the real one works with it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Bot, GrammyError, InlineKeyboard, InputFile } from 'grammy'
import { until } from '../fixtures/listener.ts'
import { ann, group, startTelegram } from '@gatehouse/testkit/telegram-server'

test('a bot of grammY gets its updates, answers, fetches files and is refused as by Telegram', async () => {
  const server = await startTelegram()
  const own = new Bot(server.token, { client: { apiRoot: server.url } })
  const heard: string[] = []
  own.on('message:text', async (context) => {
    heard.push(`${context.from.id} ${context.msg.text}`)
    await context.reply(`you said ${context.msg.text}`, { reply_parameters: { message_id: context.msg.message_id } })
  })
  const running = own.start({ allowed_updates: ['message'] })
  server.telegram.files.set('f', Buffer.from('bytes'))
  server.say({ text: 'one' })
  server.fail('sendMessage', { error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 3 } })
  own.catch(({ error }) => void heard.push(error instanceof GrammyError ? `${error.error_code} ${error.parameters.retry_after}` : 'other'))
  await until('the first to be heard', () => heard.length === 2)
  server.say({ text: 'two' })
  await until('the second to be answered', () => server.sent.length === 1)
  assert.deepEqual(heard, [`${ann.id} one`, '429 3', `${ann.id} two`])
  assert.equal(server.sent[0]?.text, 'you said two')
  const { file_path } = await own.api.getFile('f')
  const response = await fetch(`${server.url}/file/bot${server.token}/${file_path}`)
  assert.equal(await response.text(), 'bytes')
  await assert.rejects(own.api.sendMessage(1, 'x'), { error_code: 400 })
  await own.stop()
  await running
  await server.close()
})

test('a bot of grammY shows buttons, hears a press of one, answers it once and edits the message, and is refused as by Telegram', async () => {
  const server = await startTelegram()
  const own = new Bot(server.token, { client: { apiRoot: server.url } })
  const heard: string[] = []
  const refusals: string[] = []
  const refused = (error: unknown): void => void refusals.push(error instanceof GrammyError ? error.description : String(error))
  own.on('callback_query:data', async (context) => {
    heard.push(`${context.from.id} ${context.callbackQuery.data} ${context.chatId} ${context.msg?.text}`)
    await context.answerCallbackQuery({ text: 'x'.repeat(201) }).catch(refused)
    await context.answerCallbackQuery('told')
    await context.editMessageText('decided')
    await context.editMessageText('decided').catch(refused)
    await context.answerCallbackQuery('again').catch(refused)
  })
  const running = own.start({ allowed_updates: ['callback_query'] })
  server.say({ text: 'not asked for' })
  const keyboard = (data: string) => ({ reply_markup: new InlineKeyboard().text('Yes', data) })
  await own.api.sendMessage(group.id, 'x', keyboard('é'.repeat(33))).catch(refused)
  const { message_id } = await own.api.sendMessage(group.id, 'decide', keyboard('yes'))
  server.press({ message: { chat_id: group.id, message_id }, data: 'yes' })
  await until('the press to be dealt with', () => refusals.length === 4)
  assert.deepEqual(heard, [`${ann.id} yes ${group.id} decide`])
  assert.deepEqual(
    server.standing().map(({ text, reply_markup, edits }) => [text, reply_markup, edits]),
    [['decided', undefined, 1]],
  )
  assert.deepEqual(
    server.telegram.told.map(({ text }) => text),
    ['told'],
  )
  for (const [index, expected] of [/BUTTON_DATA_INVALID/, /MESSAGE_TOO_LONG/, /is not modified/, /query is too old/].entries())
    assert.match(refusals[index] ?? '', expected)
  await assert.rejects(own.api.editMessageText(group.id, 4, 'x'), /message to edit not found/)
  await own.stop()
  await running
  await server.close()
})

test('a bot of grammY sends files into a topic as Telegram documents it, and is refused as by Telegram', async (t) => {
  const server = await startTelegram()
  t.after(() => server.close())
  const { api } = new Bot(server.token, { client: { apiRoot: server.url } })
  server.say({ text: 'somebody is there' })
  const bytes = Buffer.from([0, 13, 10, 45, 45, 255])
  const options = { message_thread_id: 7, reply_parameters: { message_id: 3 }, caption: '17', disable_content_type_detection: true }
  const { document } = await api.sendDocument(group.id, new InputFile(bytes, 'a b.bin'), options)
  assert.deepEqual([document.file_name, document.file_size], ['a b.bin', 6])
  assert.deepEqual(server.documents, [{ chat_id: String(group.id), ...options, document: { name: 'a b.bin', bytes } }])
  const cases: [number, Buffer, RegExp][] = [
    [group.id, Buffer.alloc(0), /must be non-empty/],
    [group.id, Buffer.alloc(50 * 1024 * 1024 + 1), /Too Large/],
    [5, bytes, /chat not found/],
  ]
  for (const [chat, content, expected] of cases) await assert.rejects(api.sendDocument(chat, new InputFile(content, 'x')), expected)
  await assert.rejects(api.sendDocument(group.id, 'an id of nothing'), /invalid file_id/)
  assert.equal(server.documents.length, 1)
})
