// The agent is killed between any two of its acts: whatever it was at, each call is made at most once, each reply is said once,
// and every later request is one that the provider takes.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { echo, type ModelRoom, openModelRoom, refusals } from '../fixtures/model.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const script = [
  'say I begin.',
  'call sample__echo {"text":"one"}',
  'call sample__echo {"text":"two"}',
  '---',
  'call send_message {"text":"Half way."}',
  'call remember {"text":"it was half way"}',
  'call request_capability_change {"kind":"tools","after":{"enabled":[]},"reason":"to see"}',
  '---',
  'say Done. {result}',
].join('\n')

interface Lived {
  readonly room: ModelRoom
  readonly first: string
  /** Whether the agent got to its death. */
  readonly died: boolean
}

const live = async (t: TestContext, env: Readonly<Record<string, string>>): Promise<Lived> => {
  const room = await openModelRoom(t)
  const { host, start } = room
  host.listed = [echo]
  host.builtins = ['send_message', 'remember', 'request_capability_change']
  host.respondToCall = () => ({ status: 200, body: { content: [{ type: 'text', text: 'hi' }], isError: false } })
  const first = host.deliver(script)
  const agent = start(env)
  const died = await Promise.race([agent.exited.then(() => true), host.replyTo(first).then(() => false)])
  if (!died) return { room, first, died }
  start()
  await host.replyTo(first)
  assert.equal(await host.replyTo(host.deliver('say Next.')), 'Next.')
  return { room, first, died }
}

const texts = ({ host }: ModelRoom): string[] => host.toolCalls.map((call) => JSON.stringify(call))

const judge = async ({ room, first }: Lived): Promise<void> => {
  const { host, directory } = room
  assert.deepEqual(refusals(room), [])
  assert.equal(new Set(texts(room)).size, host.toolCalls.length, 'no call was made twice')
  assert.ok(host.changes.length <= 1, 'no change was asked for twice')
  const notes = await readFile(join(directory, 'memory/notes.md'), 'utf8').catch(() => '')
  assert.ok(notes.split('half way').length <= 2, 'nothing was remembered twice')
  const said = new Map(host.replies.filter(({ inReplyTo }) => inReplyTo === first).map(({ id, text }) => [id, text]))
  const words = [...said.values()]
  assert.equal(words.filter((text) => text === 'I begin.').length, 1)
  assert.ok(words.filter((text) => text === 'Half way.').length <= 1)
  assert.match(words.at(-1) ?? '', /^Done\. /)
  const dialogue = await readFile(join(directory, 'memory/.dialogue-ses_aaaaaaaaaaaaa.json'), 'utf8')
  assert.equal(dialogue.split('"tool-call"').length, dialogue.split('"tool-result"').length)
}

describe('an agent that is killed', { timeout: full ? 3_600_000 : 600_000 }, () => {
  const points = full ? Array.from({ length: 90 }, (_, at) => at + 1) : [3, 9, 14, 19, 27, 40]
  for (const point of points) {
    it(`at border ${point} goes on without doing anything twice`, async (t) => {
      const lived = await live(t, { DIE_AT: String(point) })
      if (lived.died) await judge(lived)
      else assert.ok(point > 40, 'all borders in the fast profile are reached')
    })
  }

  it('would call twice if it did not note what it begins', async (t) => {
    const twice: boolean[] = []
    for (const point of ['9', '14']) {
      const { room } = await live(t, { DIE_AT: point, FORGET: '.step-' })
      twice.push(new Set(texts(room)).size < room.host.toolCalls.length)
    }
    assert.ok(twice.includes(true))
  })

  it('says what it does not know of a call whose answer it did not live to see', async (t) => {
    const room = await openModelRoom(t)
    const { host, start } = room
    host.listed = [echo]
    const agent = start()
    host.respondToCall = () => {
      agent.process.kill('SIGKILL')
      return 'hang up'
    }
    const id = host.deliver('call sample__echo {"text":"one"}\n---\nsay It said: {result}')
    await agent.exited
    start()
    assert.match(await host.replyTo(id), /^It said: Outcome unknown: I was stopped after this call started/)
    assert.equal(host.toolCalls.length, 1)
    assert.deepEqual(refusals(room), [])
  })
})
