// Lists of many pages, of a unit that may say that it is asked too fast.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError, ServiceError } from '@gatehouse/contracts'
import { readAllPages } from '../../src/connection/pages.ts'
import { session } from '../contents.ts'
import { startUnit } from '../fake-unit.ts'
import { svcctl } from '../svcctl.ts'

const slower = (retryAfter?: string): ServiceError =>
  new ServiceError('rate-limited', retryAfter === undefined ? {} : { extra: { retryAfter } })

test('a page that comes too soon is asked for again when the unit says so', async () => {
  const asked: (string | undefined)[] = []
  const items = await readAllPages(async (cursor) => {
    asked.push(cursor)
    if (asked.length === 2 || asked.length === 3) throw slower('0')
    return cursor === undefined ? { items: [1], nextCursor: 'b' } : { items: [2] }
  })
  assert.deepEqual(items, [1, 2])
  assert.deepEqual(asked, [undefined, 'b', 'b', 'b'])
})

test('nobody waits without an end, nor for what does not pass', async () => {
  for (const [failure, most] of [
    [slower('0'), 10],
    [slower('3600'), 1],
    [slower(), 1],
    [new ServiceError('queue-full', { extra: { retryAfter: '0' } }), 1],
  ] as const) {
    let tries = 0
    const ask = (): never => {
      tries += 1
      throw failure
    }
    await assert.rejects(
      readAllPages(async () => ask()),
      isServiceError,
    )
    assert.equal(tries, most)
  }
})

test('session list goes through all pages, of one group where it is told', async () => {
  const other = { ...session, id: 'ses_bbbbbbbbbbbbb' }
  const answers: Record<string, unknown> = {}
  const hear = ({ path }: { path: string }): void => {
    answers['GET /v1/sessions'] = path.includes('cursor=') ? { items: [other] } : { items: [session], nextCursor: session.id }
  }
  await using unit = await startUnit({ answers, hear })
  const { stdout } = await svcctl(['session', 'list', '--group', 'dev-agent', '--json'], { env: { SERVICE_API_URL: unit.address } })
  assert.deepEqual(JSON.parse(stdout), [session, other])
  assert.deepEqual(
    unit.asked.map(({ path }) => path),
    ['agentGroupID=dev-agent&limit=200', `agentGroupID=dev-agent&cursor=${session.id}&limit=200`].map((query) => `/v1/sessions?${query}`),
  )
})
