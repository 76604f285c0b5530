// No clock of a service, of a mail server or of a sender counts: a message that says it is of another time is heard as any other.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { readEmail } from '../../src/email/read.ts'
import { type ReceiveOptions, hearSlack, hearTelegram, until } from '../fixtures/listener.ts'
import { account, vouched } from '../fixtures/mail.ts'
import { startSlack } from '@gatehouse/testkit/slack-server'
import { ann, startTelegram } from '@gatehouse/testkit/telegram-server'

const open = <S extends { close(): Promise<void> }>(t: TestContext, server: S, listen: (server: S) => ReceiveOptions) => {
  const options = listen(server)
  t.after(async () => {
    await options.stop()
    await server.close()
  })
  return { server, options }
}

test("the date of a letter is its sender's word: whatever it says, the message is the same", async () => {
  const letter = (...dates: string[]) => {
    const head = [vouched, 'From: ann@example.org', 'Message-ID: <m@x>']
    return readEmail(Buffer.from([...head, ...dates, 'To: agents@example.org', '', 'hello'].join('\r\n')), account, '<uid>')
  }
  const { files: _, ...expected } = await letter()
  for (const date of ['Thu, 01 Jan 1970 00:00:00 +0000', 'Fri, 31 Dec 9999 23:59:59 -1200', 'tomorrow', '', `x${'9'.repeat(5_000)}`]) {
    const { files, ...message } = await letter(`Date: ${date}`)
    assert.deepEqual([message, files], [expected, []], date)
  }
  assert.equal((await letter('Date: Thu, 01 Jan 1970 00:00:00 +0000', 'Date: Fri, 31 Dec 9999 23:59:59 -1200')).text, 'hello')
})

test('messages of Slack are heard in the order of their coming, whatever time they bear', async (t) => {
  const { server, options } = open(t, await startSlack(), hearSlack)
  const stamps = ['4102444800.000001', '0000000001.000001', '1700000000.000001']
  for (const ts of stamps) server.say({ text: ts, ts, more: { event_ts: '1.000000' } })
  await until('all of them', () => options.kept.length === stamps.length)
  assert.deepEqual(
    options.kept.map(({ text }) => text),
    stamps,
  )
})

test('messages of Telegram are heard in the order of their updates, whatever time they bear', async (t) => {
  const { server, options } = open(t, await startTelegram(), hearTelegram)
  const dates = [4_102_444_800, 0, -1, 1_700_000_000]
  for (const date of dates) server.say({ text: String(date), more: { date } })
  await until('all of them', () => options.kept.length === dates.length)
  assert.deepEqual(
    options.kept.map(({ text }) => Number(text)),
    dates,
  )
})

test('updates of Telegram that count from a lower number after a quiet time are heard', async (t) => {
  const { server, options } = open(t, await startTelegram(), hearTelegram)
  server.say({ text: 'before' })
  await until('the first one', () => options.kept.length === 1)
  // After an answer without an update nothing is asked for by number, as Telegram counts anew after a week.
  const asked = server.calls('getUpdates')
  server.telegram.wake()
  await until('another poll', () => server.calls('getUpdates') > asked)
  server.telegram.push({
    update_id: 7,
    message: { message_id: 9, date: 1, chat: { id: ann.id, type: 'private' }, from: ann, text: 'anew' },
  })
  await until('the next one', () => options.kept.some(({ text }) => text === 'anew'))
})
