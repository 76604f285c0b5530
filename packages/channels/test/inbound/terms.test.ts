// Which conversation a message belongs to, and whether it is meant for the agent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { conversationOf, isEngaged } from '../../src/inbound/take.ts'

const place = { address: 'C1', thread: '17.5', user: 'U1' }

test('one conversation for the place, one a thread or one a person, readable where it can be written', () => {
  assert.equal(conversationOf('slack', 'shared', place), 'slack:C1')
  assert.equal(conversationOf('slack', 'thread', place), 'slack:C1:thread:17.5')
  assert.equal(conversationOf('slack', 'thread', { ...place, thread: undefined }), 'slack:C1')
  assert.equal(conversationOf('slack', 'person', place), 'slack:C1:person:U1')
  assert.match(conversationOf('webhook', 'shared', { ...place, address: 'https://a.example/b' }), /^webhook:[0-9a-f]{40}$/)
  assert.match(conversationOf('slack', 'shared', { ...place, address: 'x'.repeat(200) }), /^slack:[0-9a-f]{40}$/)
})

test('no two places, threads and persons share a conversation, however they are named', () => {
  const names = ['a', 'a:thread:b', 'a:person:b', 'b', 'a:', ':a', 'thread', 'person']
  const made = names.flatMap((address) => [
    conversationOf('slack', 'shared', { ...place, address }),
    ...names.flatMap((inner) => [
      conversationOf('slack', 'thread', { address, thread: inner, user: 'u' }),
      conversationOf('slack', 'person', { address, thread: undefined, user: inner }),
    ]),
  ])
  assert.equal(new Set(made).size, made.length)
})

test('all, a mention or a pattern engages the agent', () => {
  const message = { mentioned: false, text: 'please deploy 42' }
  assert.ok(isEngaged({ engage: 'all' }, message))
  assert.ok(!isEngaged({ engage: 'mention' }, message))
  assert.ok(isEngaged({ engage: 'mention' }, { ...message, mentioned: true }))
  assert.ok(isEngaged({ engage: 'pattern', pattern: String.raw`(?i)DEPLOY \d+$` }, message))
  assert.ok(!isEngaged({ engage: 'pattern', pattern: '^deploy' }, message))
  assert.ok(!isEngaged({ engage: 'pattern', pattern: '(?=x)' }, message))
  assert.ok(!isEngaged({ engage: 'pattern' }, message))
})

test('a pattern that another machine would try for ever comes to an end', () => {
  const text = `${'a'.repeat(limits.channelPattern - 1)}!`
  for (const pattern of ['(a+)+$', '(a|aa)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y|(a*)*b']) {
    assert.ok(!isEngaged({ engage: 'pattern', pattern }, { mentioned: false, text }))
  }
})
