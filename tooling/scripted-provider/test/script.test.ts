// The language of the scripts, and what they can make go wrong.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseScript } from '../src/index.ts'
import { open, timeout } from './fixtures/provider.ts'

const ask = (address: string, content: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${address}/compatible/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'any', stream: true, messages: [{ role: 'user', content }] }),
    ...(signal === undefined ? {} : { signal }),
  })

describe('a script', timeout, () => {
  it('is scenes of turns, chosen by what the user said last', async (t) => {
    const { address, setScript } = await open(t, 'when weather\nsay It rains.\nwhen /^sum \\d+/\nsay Three.\n')
    assert.match(await (await ask(address, 'How is the Weather?')).text(), /It/)
    assert.match(await (await ask(address, 'sum 1 2')).text(), /Three\./)
    assert.match(await (await ask(address, 'else')).text(), /echo:/)
    setScript('say Always.')
    assert.match(await (await ask(address, 'else')).text(), /Always\./)
  })

  it('says which line it cannot read', () => {
    for (const [script, why] of [
      ['say a\nfault never', /line 2.*expected a fault of status/],
      ['fault status', /line 1.*fault status <number>/],
      ['pace slow', /expected a number, got slow/],
      ['call', /expected call <tool> \{json\}/],
      ['stop now', /expected stop length/],
    ] as const)
      assert.throws(() => parseScript(script), why)
  })

  it('holds a stream silent until the client goes away', async (t) => {
    const { address } = await open(t)
    const leaving = new AbortController()
    const response = await ask(address, 'fault silence after 2\nsay a b c d', leaving.signal)
    const reader = response.body?.getReader()
    await reader?.read()
    leaving.abort()
    await assert.rejects(async () => {
      for (;;) if ((await reader?.read())?.done === true) return
    })
  })

  it('can answer without an end, at the pace of the reader', async (t) => {
    const { address } = await open(t)
    const response = await ask(address, 'fault endless after 1\nsay a')
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      bytes += (chunk as Uint8Array).length
      if (bytes > 2_000_000) break
    }
    assert.ok(bytes > 2_000_000)
  })

  it('can answer with what is no stream of events', async (t) => {
    const { address } = await open(t)
    const page = await ask(address, 'fault media-type')
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(await (await ask(address, 'fault malformed after 1\nsay a b')).text(), /not JSON/)
  })
})
