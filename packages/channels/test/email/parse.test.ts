// A letter that is dear to read keeps nobody else waiting: anybody can send one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEmail, textOfHtml } from '../../src/email/parse.ts'

test('a long e-mail is parsed without blocking the event loop', async () => {
  let turns = 0
  const count = (): void => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const { text } = await parseEmail(Buffer.from(`Subject: x\r\n\r\n${'y\r\n'.repeat(10_000)}`))
  clearImmediate(next)
  assert.equal(text?.length, 20_000)
  assert.ok(turns >= 50, `${turns} turns`)
})

test('an e-mail with too many short lines is refused, and one with a large attachment is parsed', async () => {
  await assert.rejects(parseEmail(Buffer.from('\n'.repeat(1024 * 1024))), /refused: 1048577 lines/)
  const file = `Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${`${'A'.repeat(76)}\r\n`.repeat(30_000)}`
  const [{ content } = { content: '' }] = (await parseEmail(Buffer.from(file))).attachments
  assert.equal(typeof content === 'string' ? 0 : content.byteLength, 30_000 * 57)
})

test('of HTML without end a part is rendered', async () => {
  const text = await textOfHtml('<p>x</p>\n'.repeat(500_000))
  assert.ok(text.length > 100_000 && text.length < 512 * 1024)
})
