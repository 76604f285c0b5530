// Models in a real unit: a group with a model, its socket, the operator's server behind it, the stop, and a kill in the middle.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, request as ask, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { request } from '../../src/http.ts'
import { listens } from '../../src/listens.ts'
import { runDirectoryOf } from '../../src/run-directory.ts'
import { stateFiles } from '../../src/state-files.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const key = 'canary-of-a-model-key-93b1e6c07d52f4a8'
const model = { provider: 'compatible', id: 'small-model' }
const usage = { prompt_tokens: 11, completion_tokens: 7 }
const piece = (content: string): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
const ending = `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`

let isOpen = false
const seen: (string | undefined)[] = []
const stream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(piece('hello'))
  if (!isOpen) response.end(ending)
}
const provider = createServer((asked, response) => {
  asked.resume().on('end', () => {
    seen.push(asked.headers.authorization)
    stream(response)
  })
})

let unit: Unit
let socketPath: string

interface Heard {
  readonly status: number
  readonly text: string
}

const post = (body: object, onData: () => void = () => undefined): Promise<Heard> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = ask({ socketPath, path: '/compatible/v1/chat/completions', method: 'POST', headers, agent: false }, (response) => {
      let text = ''
      const end = (): void => resolve({ status: response.statusCode ?? 0, text })
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        onData()
      })
      response.on('end', end)
      response.on('error', end)
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })

const hello = { model: model.id, stream: true, messages: [{ role: 'user', content: 'hello' }] }

/** A request whose stream goes on, once its first piece is here. */
const running = async (): Promise<Promise<Heard>[]> => {
  isOpen = true
  const begun = Promise.withResolvers<void>()
  const answer = post(hello, () => begun.resolve())
  answer.catch((error: unknown) => begun.reject(error))
  await begun.promise
  isOpen = false
  return [answer]
}

const carry = async (kind: 'agent_create' | 'permissions', agentGroupID: string, wanted: object): Promise<void> => {
  const { id } = await unit.client.changes.submit({ kind, agentGroupID, after: { ...wanted } })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
}

const openSocket = async (): Promise<string> => {
  const folder = join(await runDirectoryOf(unit), 'model')
  return waitFor('a model.sock', 60_000, async () => {
    const [session] = await readdir(folder)
    const path = session === undefined ? undefined : join(folder, session, 'model.sock')
    return path !== undefined && (await listens(path)) ? path : undefined
  })
}

before(async () => {
  await new Promise<void>((resolve) => void provider.listen(0, '127.0.0.1', () => resolve()))
  const { port } = provider.address() as AddressInfo
  unit = await startUnit({
    flags: ['--dev', '--sandbox', 'none', '--log-level', 'debug'],
    env: { SERVICE_MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`, SERVICE_MODEL_API_KEY: key },
  })
  await carry('agent_create', 'thinker', { id: 'thinker', name: 'Thinker', agent: 'model', model })
  await unit.client.chat.send({ agentGroupID: 'thinker', text: 'hello' })
  socketPath = await openSocket()
})
after(async () => {
  provider.closeAllConnections()
  await new Promise((resolve) => void provider.close(resolve))
  await unit.dispose()
})

test('a session of the group reaches the model, and it is shown what that took', async () => {
  const { status, text } = await post(hello)
  assert.equal(status, 200, text)
  assert.equal(text, `${piece('hello')}${ending}`)
  assert.equal(seen.at(-1), `Bearer ${key}`)
  const { items, spending } = await unit.client.models.list()
  assert.deepEqual(
    items.map(({ name }) => name),
    ['compatible'],
  )
  assert.deepEqual(spending, [{ agentGroupID: 'thinker', tokens: 18, reserved: 0 }])
  const { items: calls } = await unit.client.models.calls({ agentGroupID: 'thinker' })
  assert.deepEqual(
    calls.map(({ outcome, tokensIn, tokensOut }) => [outcome, tokensIn, tokensOut]),
    [['ok', 11, 7]],
  )
  assert.equal((await unit.client.models.check('compatible')).reachable, true)
})

test('a change of the model holds from the next request on', async () => {
  await carry('permissions', 'thinker', { model: { ...model, id: 'other-model' } })
  assert.match((await post(hello)).text, /model-refused/)
  await carry('permissions', 'thinker', { model })
  assert.equal((await post(hello)).status, 200)
})

test('a body that asks the provider to search is refused with its field, until a change of permissions is approved and when it is taken back', async () => {
  const search = { ...hello, web_search_options: {} }
  const asked = seen.length
  const refused = await post(search)
  assert.match(refused.text, /power-refused/)
  assert.match(refused.text, /web_search_options/)
  const { id } = await unit.client.changes.submit({
    kind: 'permissions',
    agentGroupID: 'thinker',
    after: { providerTools: ['web_search'] },
  })
  assert.match((await post(search)).text, /power-refused/, 'while it is held')
  assert.equal(seen.length, asked, 'the provider was asked nothing')
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })
  assert.equal((await post(search)).status, 200)
  await carry('permissions', 'thinker', { providerTools: [] })
  assert.match((await post(search)).text, /power-refused/)
})

test('a freeze ends a stream that runs', async () => {
  const [answer] = await running()
  await unit.client.freezes.freeze({ reason: 'a drill' })
  assert.match((await answer)?.text ?? '', /hello[^]*frozen/)
  await unit.client.freezes.unfreeze({ reason: 'over' })
})

test('a model proxy that is killed in the middle comes back, with one record of what it was doing', async () => {
  const before = (await unit.client.models.calls({ limit: 200 })).items.length
  const [answer] = await running()
  const pid = await unit.pidOf('model-proxy')
  process.kill(pid, 'SIGKILL')
  await answer?.catch(() => undefined)
  await waitFor('the next one', 60_000, async () => (await unit.pidOf('model-proxy').catch(() => pid)) !== pid)
  await waitFor('its socket', 60_000, async () => (await post(hello).catch(() => undefined))?.status === 200)
  const { items } = await unit.client.models.calls({ limit: 200 })
  assert.equal(items.filter(({ outcome }) => outcome === 'unknown').length, 1)
  assert.equal(items.length, before + 2)
})

test('the key is in no answer, log line or file of the unit, and in no argument or variable of a process', async () => {
  for (const path of ['/v1/models', '/v1/audit/model-calls', '/v1/status', '/v1/audit', '/metrics'])
    assert.ok(!(await request(`${unit.address}${path}`)).text.includes(key), path)
  assert.ok(!unit.lines.join('\n').includes(key))
  for await (const { path, bytes } of stateFiles(unit)) assert.ok(!bytes.includes(key), path)
  for (const { name, pid } of (await unit.client.status()).processes)
    for (const place of ['cmdline', 'environ'])
      assert.ok(!(await readFile(`/proc/${pid}/${place}`, 'utf8')).includes(key), `${place} of ${name}`)
})
