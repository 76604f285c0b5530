// Requests made from the document, as they should be and spoilt: every answer is one that the document declares.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loginCallbackPath, ServiceError } from '@gatehouse/contracts'
import { fc } from '@gatehouse/testkit/random'
import type { Hono } from 'hono'
import { createApp } from '../../src/app.ts'
import type { Env } from '../../src/env.ts'
import { judge } from '../fixtures/judge.ts'
import { type Asked, type Operation, operations } from '../fixtures/operations.ts'
import { atOnce, createUnitOf, home, token } from '../fixtures/unit.ts'
import { canary, spoil } from './mutations.ts'

const total = process.env['GATEHOUSE_PROFILE'] === 'full' ? 200_000 : 4_000
const each = Math.ceil(total / 2 / operations.length)

interface Fetching {
  readonly fetch: (request: Request) => Response | Promise<Response>
}

const breaches: unknown[] = []
const unit = createUnitOf({ onBreach: (error) => breaches.push(error) })
const app = createApp({ unit, port: 8787, wait: atOnce })

/** Undefined for what `Request` itself will not carry. */
const requestOf = ({ method, path, headers, body }: Asked): Request | undefined => {
  try {
    const all = { host: '127.0.0.1:8787', authorization: `Bearer ${token}`, ...headers }
    return new Request(`${home}${path}`, { method, headers: all, ...(body !== undefined && { body }) })
  } catch {
    return undefined
  }
}

const send = async (served: Fetching, asked: Asked) => {
  const request = requestOf(asked)
  if (request === undefined) return undefined
  const response = await served.fetch(request)
  const { status, headers } = response
  if (headers.get('content-type')?.startsWith('text/event-stream') !== true) return { status, headers, text: await response.text() }
  await response.body?.cancel()
  return { status, headers, text: '' }
}

/** A spoilt path may lead to another route, or to none: such an answer is judged by the words of all. */
const anywhere: Operation['responses'] = Object.assign(
  { '404': {}, '405': {} },
  ...operations.map(({ responses }) => responses),
) as Operation['responses']
const judgedBy = (operation: Operation, asked: Asked, original: Asked): Operation =>
  asked.path.split('?')[0] === original.path.split('?')[0] ? operation : { ...operation, responses: anywhere }

interface Spoilt {
  readonly original: Asked
  readonly asked: Asked
}

const faultsOf = async (served: Fetching, operation: Operation, { original, asked }: Spoilt): Promise<string[]> => {
  const answer = await send(served, asked)
  if (answer === undefined) return []
  const moved = judgedBy(operation, asked, original)
  return moved === operation || answer.status >= 400 ? judge(moved, answer, [canary, token]) : []
}

const checkSpoilt = (served: Fetching, operation: Operation, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(
      operation.requests.chain((original) => spoil(original).map((asked) => ({ original, asked }))),
      async (spoilt) => assert.deepEqual(await faultsOf(served, operation, spoilt), [], operation.name),
    ),
    { numRuns, endOnFailure: true },
  )

test('answers every request that fits as the document says', async () => {
  let taken = 0
  let asked = 0
  for (const operation of operations) {
    await fc.assert(
      fc.asyncProperty(operation.requests, async (request) => {
        const answer = await send(app, request)
        if (answer === undefined) return
        // Nothing fits there but the answer to a login that was begun.
        if (!operation.name.includes(loginCallbackPath)) asked += 1
        if (answer.status < 400) taken += 1
        assert.deepEqual(judge(operation, answer, [canary, token]), [], operation.name)
      }),
      { numRuns: each, endOnFailure: true },
    )
  }
  assert.ok(taken / asked > 0.85, `${taken} of ${asked} were taken`)
  assert.deepEqual(breaches, [])
})

test('answers every spoilt request with a problem that the document declares, and shows nothing of it', async () => {
  for (const operation of operations) await checkSpoilt(app, operation, each)
  assert.deepEqual(breaches, [])
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})

test('answers as declared also when a peer refuses with any code of the table', async () => {
  const codes = ['unauthorized', 'forbidden', 'unavailable', 'deadline', 'audit-unwritable', 'rate-limited'] as const
  for (const code of codes) {
    const refuse = (): never => {
      throw new ServiceError(code, { detail: 'refused' })
    }
    const answers = Object.fromEntries(refusable.map((name) => [name, refuse]))
    const refusing = createApp({ unit: createUnitOf({ answers }), port: 8787, wait: atOnce })
    for (const operation of operations) {
      const answer = await send(refusing, operation.sample)
      assert.ok(answer)
      assert.deepEqual(judge(operation, answer, [token]), [], `${operation.name} with ${code}`)
    }
  }
})

const refusable = [
  'submit',
  'preview',
  'decide',
  'pending',
  'heldCount',
  'change',
  'audit',
  'news',
  'groups',
  'servers',
  'putServer',
  'tokens',
  'freezes',
  'explain',
  'terminate',
  'reload',
].map((call) => `gateway.${call}`)

const weakened: Readonly<Record<string, (made: Hono<Env>) => Fetching>> = {
  'an undeclared status': (made) => ({
    fetch: async (request) => {
      const answer = await made.fetch(request)
      return answer.status === 422 ? new Response(answer.body, { status: 418, headers: answer.headers }) : answer
    },
  }),
  'what was sent': (made) => ({
    fetch: async (request) => {
      const sent = await request.clone().text()
      const answer = await made.fetch(request)
      if (answer.status < 400) return answer
      const problem = (await answer.json()) as Record<string, unknown>
      return new Response(JSON.stringify({ ...problem, hint: sent }), { status: answer.status, headers: answer.headers })
    },
  }),
  'a stack': (made) => ({
    fetch: async (request) => {
      const answer = await made.fetch(request)
      if (answer.status !== 400) return answer
      const problem = (await answer.json()) as Record<string, unknown>
      return new Response(JSON.stringify({ ...problem, detail: new Error('x').stack?.replaceAll('\\n', '\n') }), {
        status: 400,
        headers: answer.headers,
      })
    },
  }),
}

for (const [name, weaken] of Object.entries(weakened)) {
  test(`catches an application that answers with ${name}`, async () => {
    const operation = operations.find((one) => one.name === 'PUT /v1/registry/mcp-servers/{name}')
    assert.ok(operation)
    await assert.rejects(checkSpoilt(weaken(app), operation, 5_000))
  })
}
