// Whoever approves a wiring, or the members of a group, is told who will be able to speak to the agent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channels } from '@gatehouse/contracts'
import { ask, makeGroup, makeWired, makeContext } from '../fixtures/change-context.ts'

const session = 'shared'
const summaryOf = (after: object, members: { channel: (typeof channels)[number]; user: string }[] = []): string =>
  ask('wiring', after).describe(makeContext({ group: makeGroup({ members }) }))

for (const engage of ['all', 'mention', 'pattern']) {
  test(`a wiring with engage ${engage} of a group without members says that anyone is heard, in every channel`, () => {
    const pattern = engage === 'pattern' ? { pattern: '^x' } : {}
    for (const channel of channels)
      assert.match(summaryOf({ channel, address: 'a', engage, session, ...pattern }), /: anyone (?:who|with) .* can message it;/)
  })
}

test('with members it says how many of that channel are heard, or that nobody is', () => {
  const members = ['U1', 'U2'].map((user) => ({ channel: 'slack' as const, user }))
  const at = (channel: string) => summaryOf({ channel, address: 'a', engage: 'mention', session }, members)
  assert.match(at('slack'), /: only 2 members can message it; it answers when mentioned;/)
  assert.match(at('email'), /: no one \(no member uses email\) can message it;/)
})

test('a group that is wired and loses its members is said to be open where it is wired', () => {
  const describe = (context: object): string => ask('permissions', { members: [] }).describe(makeContext(context))
  assert.match(describe({}), /allows anyone to message it$/)
  assert.match(describe({ wirings: [makeWired('C1')] }), /allows anyone who can write to .*C1" to message it$/)
})
