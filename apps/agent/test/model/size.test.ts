// Much of everything: instructions, turns, tools, results. What is sent stays within the window, and stays valid.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { echo, openModelRoom, refusals } from '../fixtures/model.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const turns = full ? 200 : 30

/** Forty tools with about 70 kB of schemas. */
const many = Array.from({ length: 40 }, (_, at) => ({
  ...echo,
  name: `sample__tool_${at}`,
  description: `tool number ${at}. ${'It does a thing. '.repeat(20)}`,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 12 }, (_, field) => [
        `field_${field}`,
        { type: 'string', description: `what field ${field} of tool ${at} is for. ${'More words. '.repeat(5)}` },
      ]),
    ),
  },
}))

describe('a long life', { timeout: full ? 3_600_000 : 600_000 }, () => {
  for (const name of ['anthropic', 'compatible'] as const) {
    it(`of ${turns} turns with long instructions, forty tools and a huge result stays valid for ${name}`, async (t) => {
      const room = await openModelRoom(t, name)
      const { host, start, provider } = room
      host.persona = 'You are careful. '.repeat(3600).slice(0, 60 * 1024)
      host.listed = many
      host.respondToCall = ({ body }) => ({
        status: 200,
        body: {
          content: [{ type: 'text', text: JSON.stringify(body).includes('huge') ? 'x'.repeat(5_000_000) : 'short' }],
          isError: false,
        },
      })
      start()
      for (let turn = 0; turn < turns; turn += 1) {
        const script =
          turn % 10 === 4
            ? 'call sample__tool_7 {"field_1":"huge"}\n---\nsay Read.'
            : turn % 3 === 0
              ? 'say I call.\ncall sample__tool_1 {"field_0":"a"}\ncall sample__tool_39 {}\n---\nsay Called.'
              : `fill ${turn * 100}\nsay and so on`
        assert.doesNotMatch(await host.replyTo(host.deliver(script)), /I could not/)
      }
      assert.deepEqual(refusals(room), [])
      const most = Math.max(...provider.requests.map(({ body }) => JSON.stringify(body).length))
      const fixed = JSON.stringify(many).length + host.persona.length
      assert.ok(fixed > 110_000)
      assert.ok(most < (name === 'anthropic' ? 800_000 : fixed + 60_000), `the longest request had ${most} bytes`)
      assert.match(JSON.stringify(provider.requests.at(-1)?.body), /You are careful/)
    })
  }
})
