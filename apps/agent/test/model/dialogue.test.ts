// A whole dialogue in each wire format: a question, a call, its result, an answer, and another question.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { timeout } from '../fixtures/agent.ts'
import { echo, type ModelRoom, models, openModelRoom, type ProviderName, refusals } from '../fixtures/model.ts'

const answerWith = ({ host }: ModelRoom, text: string): void => {
  host.listed = [echo]
  host.respondToCall = () => ({ status: 200, body: { content: [{ type: 'text', text }], isError: false } })
}

describe('a dialogue', timeout, () => {
  for (const name of Object.keys(models) as ProviderName[]) {
    it(`goes through the format of ${name}: thoughts, progress, two calls, their results, an answer, and on`, async (t) => {
      const room = await openModelRoom(t, name)
      answerWith(room, 'hi')
      const { host, start, provider } = room
      start()
      const script =
        'think Let me see.\nsay I look.\ncall sample__echo {"text":"hi"}\ncall sample__echo {"text":"ho"}\n---\ncall list_dir {"path":"/workspace"}\ncall read_persona {}\n---\nsay Found: {result}'
      host.builtins = ['list_dir', 'read_persona', 'send_message', 'request_capability_change']
      const first = host.deliver(script)
      await host.replyTo(first)
      assert.deepEqual(host.toolCalls, [
        { name: 'sample__echo', arguments: { text: 'hi' } },
        { name: 'sample__echo', arguments: { text: 'ho' } },
      ])
      assert.deepEqual(
        host.replies.map(({ id, text }) => [id, text]),
        [
          [`r-${first}-1`, 'I look.'],
          [`r-${first}-2`, 'Found: the directory is empty\nBe brief.'],
        ],
      )
      assert.equal(await host.replyTo(host.deliver('say And on.')), 'And on.')
      assert.deepEqual(refusals(room), [])
      assert.equal(provider.requests.length, 4)
      assert.ok(provider.requests.every((seen) => seen.provider === name))
      assert.doesNotMatch(JSON.stringify(provider.requests.map(({ headers }) => headers)), /on-the-host/)
    })
  }
})
