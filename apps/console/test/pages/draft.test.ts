// A catalog entry as lines of text and back: nothing is lost, whatever the form does not show stays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CatalogEntry } from '@gatehouse/contracts'
import { draftOf, emptyDraft, entryOf } from '../../src/pages/mcp/draft.ts'

const local: CatalogEntry = {
  transport: 'stdio',
  command: '/usr/bin/node',
  args: ['server.js', '--name=a b'],
  env: { KEY: '••••', EMPTY: '', EQUAL: 'a=b' },
  image: 'tools:1',
  sharing: 'session',
  data: true,
}
const remote: CatalogEntry = { transport: 'http', url: 'https://a.example/mcp', headers: { 'X-One': 'a: b' }, reach: 'public' }

test('an entry that is opened and saved untouched is the same entry', () => {
  for (const entry of [local, remote]) assert.deepEqual(entryOf(draftOf('a', entry), entry), entry)
})

test('an id of an image is not sent back, and an image can be taken out', () => {
  const { image: _image, ...bare } = local
  assert.deepEqual(entryOf({ ...draftOf('a', local), image: '' }, { ...local, imageID: 'a'.repeat(64) }), bare)
})

test('a header without a name is that of authorization', () => {
  const draft = { ...emptyDraft, place: 'remote' as const, url: ' https://a.example ', headers: 'Bearer ${KEY}\n\nX-Two:b' }
  assert.deepEqual(entryOf(draft), {
    transport: 'http',
    url: 'https://a.example',
    headers: { Authorization: 'Bearer ${KEY}', 'X-Two': 'b' },
  })
})

test('a server that moves from local to remote keeps nothing of what it was', () => {
  const draft = { ...draftOf('a', local), place: 'remote' as const, url: 'https://a.example' }
  assert.deepEqual(entryOf(draft, local), { transport: 'http', url: 'https://a.example', headers: {} })
})
