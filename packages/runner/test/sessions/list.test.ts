// The list of sessions: as long as it may get, it is read in pages of which each fits an answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgentGroupID, ConversationID, limits, SessionID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { createSession } from '../../src/session/session.ts'
import { list } from '../../src/sessions/registry.ts'

const groups = ['one', 'two'].map((id) => v.parse(AgentGroupID, id))
const letters = 'abcdefghijklmnopqrstuvwxyz'
const idOf = (place: number): SessionID =>
  v.parse(SessionID, `ses_${[2, 1, 0].map((power) => letters[Math.floor(place / 26 ** power) % 26]).join('')}aaaaaaaaaa`)

/** In no order of their ids; every tenth has been closed, every fifth works. */
const sessions = new Map(
  Array.from({ length: 1_000 }, (_, place) => {
    const id = idOf((place * 7) % 1_000)
    const session = createSession({
      id,
      agentGroupID: groups[place % 2] ?? assert.fail(),
      conversationID: v.parse(ConversationID, `talk-${place}`),
    })
    return [id, Object.assign(session, { open: place % 10 !== 0, state: place % 5 === 1 ? 'live' : 'idle' })] as const
  }),
)

const every = (wanted: Parameters<typeof list>[1]): string[] => {
  const seen: string[] = []
  for (let cursor: SessionID | undefined; ;) {
    const page = list({ sessions }, { ...wanted, ...(cursor !== undefined && { cursor }) })
    assert.ok(page.items.length <= (wanted.limit ?? limits.pageSizeMost))
    seen.push(...page.items.map(({ id }) => id))
    if (page.nextCursor === undefined) return seen
    cursor = page.nextCursor
  }
}

test('every open session stands on one page, in the order of the ids', () => {
  const open = [...sessions.values()].filter((session) => session.open).map(({ id }) => id)
  assert.deepEqual(every({ limit: 70 }), open.toSorted())
  assert.deepEqual(every({}), open.toSorted())
  assert.deepEqual(list({ sessions }, { limit: 900 }).nextCursor, undefined)
  assert.equal(list({ sessions }, { limit: 899 }).items.length, 899)
})

test('a session is found by its group, its state, its conversation and its id', () => {
  const idsOf = (fits: (session: ReturnType<typeof createSession>) => boolean): string[] =>
    [...sessions.values()]
      .filter((session) => session.open && fits(session))
      .map(({ id }) => id)
      .toSorted()
  const [one = assert.fail()] = groups
  assert.deepEqual(
    every({ agentGroupIDs: [one] }),
    idsOf(({ agentGroupID }) => agentGroupID === one),
  )
  assert.deepEqual(every({ agentGroupIDs: [] }), [])
  assert.deepEqual(
    every({ state: 'live' }),
    idsOf(({ state }) => state === 'live'),
  )
  const some = [...sessions.values()][13] ?? assert.fail()
  assert.deepEqual(every({ conversation: some.conversationID }), [some.id])
  assert.deepEqual(every({ session: some.id }), [some.id])
  assert.deepEqual(every({ session: some.id, state: 'parked' }), [])
})
