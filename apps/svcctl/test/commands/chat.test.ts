// svcctl chat: says something and waits for the answer to it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messages } from '../contents.ts'
import { startUnit } from '../fake-unit.ts'
import { svcctl, svcctlAtTerminal } from '../svcctl.ts'

const words = 'echo: red\\u{1b}[31m \\u{202e}gnp.exe\\u{200b}\n\\u{7}end\\u{9b}2J\n'
/** The name of its file is what its agent made of it. */
const file = '[/workspace/red\\u{1b}[31m \\u{202e}gnp.exe\\u{200b}\\u{d}\\n\\u{7}end\\u{9b}2J, 3 bytes]\n'
const reply = `${words}${file}`

test('prints the reply to this message alone, made harmless, and notes of the system as talk', async () => {
  await using unit = await startUnit()
  const ended = await svcctl(['chat', 'dev-agent', 'hello'], { env: { SERVICE_API_URL: unit.address } })
  assert.deepEqual(ended, { code: 0, stdout: reply, stderr: 'a note\n' })
  const sent = unit.asked.findIndex(({ method }) => method === 'POST')
  assert.deepEqual(unit.asked[sent]?.body, { agentGroupID: 'dev-agent', text: 'hello' })
  const before = unit.asked.slice(0, sent).map(({ path }) => path)
  assert.deepEqual(before, ['/v1/ui/chat/dev-agent/messages?limit=1'], 'of what was said before only the end is read')
})

test('says what comes on standard input', async () => {
  await using unit = await startUnit()
  const ended = await svcctl(['chat', 'dev-agent'], { env: { SERVICE_API_URL: unit.address }, input: 'two\nlines\n' })
  assert.equal(ended.stdout, reply)
  assert.deepEqual(unit.asked.find(({ method }) => method === 'POST')?.body, { agentGroupID: 'dev-agent', text: 'two\nlines' })
  assert.equal((await svcctl(['chat', 'dev-agent'], { env: { SERVICE_API_URL: unit.address } })).code, 2)
})

test('gives ids and replies as JSON', async () => {
  await using unit = await startUnit()
  const { stdout } = await svcctl(['chat', 'dev-agent', 'hello', '--json'], { env: { SERVICE_API_URL: unit.address } })
  const [exchanged] = JSON.parse(stdout) as [{ messageId: string; replies: unknown[] }]
  assert.equal(exchanged.messageId, 'msg-1')
  assert.deepEqual(exchanged.replies, messages(1).slice(3))
})

test('talks at a terminal until the end of input', async () => {
  await using unit = await startUnit()
  const typed = [
    ['dev-agent> ', 'hello\r'],
    ['dev-agent> ', 'again\r'],
    ['dev-agent> ', '\u0004'],
  ] as const
  const { stdout, code } = await svcctlAtTerminal(['chat', 'dev-agent'], { env: { SERVICE_API_URL: unit.address }, typed })
  assert.equal(code, 0)
  assert.equal(stdout.split('gnp.exe').length - 1, 4)
  assert.match(stdout, /dev-agent> /)
})

test('ends with 9 when no reply comes in time', async () => {
  await using unit = await startUnit({
    answers: { 'POST /v1/ui/chat/send': { conversationId: 'other', messageId: 'msg-1', sessionId: 'ses_abcdefghijklm' } },
  })
  const ended = await svcctl(['chat', 'dev-agent', 'hello', '--timeout', '1'], { env: { SERVICE_API_URL: unit.address } })
  assert.equal(ended.code, 9)
  assert.match(ended.stderr, /expected a reply of dev-agent within 1 s/)
})
