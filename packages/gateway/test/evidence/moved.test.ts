// When what an approver was shown counts as another thing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerName, Evidence } from '@gatehouse/contracts'
import { hasEvidenceChanged } from '../../src/evidence/attach.ts'
import { entryDigest, observed, stamp, tool } from '../fixtures/change-context.ts'

const server = 'sample' as ServerName
const seen = observed('sample', [tool('echo')])
const unseen: Evidence = { status: 'unavailable', server, entryDigest: entryDigest('sample') }
const sighted = (inode: string): Evidence => ({
  status: 'sighted',
  at: stamp.at,
  age: 0,
  mounts: [{ source: '/srv/a', real: '/srv/a', inode }],
})

const heard = (people: 'anyone' | string[]): Evidence => ({ status: 'heard', places: [{ channel: 'slack', address: 'C1', people }] })

const rows: readonly [what: string, then: Evidence | null, now: Evidence | null, moved: boolean][] = [
  ['the same', seen, seen, false],
  ['the same, seen later', seen, observed('sample', [tool('echo')], { at: '2027-01-01T00:00:00.000Z', age: 9 }), false],
  ['another description', seen, observed('sample', [tool('echo', { description: 'x' })]), true],
  ['another title', seen, observed('sample', [tool('echo', { title: 'x' })]), true],
  ['a tool that is missing', seen, observed('sample', [], { missing: ['echo'] }), true],
  ['another server under that name', seen, observed('sample', [tool('echo')], { entryDigest: entryDigest('other') }), true],
  ['a drift', seen, observed('sample', [tool('echo')], { drift: [{ tool: 'echo' }] }), true],
  ['evidence that went', seen, unseen, true],
  ['evidence that came', unseen, seen, false],
  ['evidence that came of another server', unseen, observed('sample', [], { entryDigest: entryDigest('other') }), true],
  ['no evidence, of another server', unseen, { ...unseen, entryDigest: entryDigest('other') }, true],
  ['no evidence, still', unseen, unseen, false],
  ['none was wanted', null, null, false],
  ['none was wanted then', null, heard('anyone'), true],
  ['other people', heard(['U1']), heard(['U1', 'U2']), true],
  ['the same people', heard(['U1']), heard(['U1']), false],
  ['another inode', sighted('1'), sighted('2'), true],
  ['the same inode', sighted('1'), { ...sighted('1'), age: 5 } as Evidence, false],
  ['a sighting that came', { status: 'unavailable', sources: ['/srv/a'] }, sighted('1'), false],
]

for (const [what, then, now, moved] of rows) {
  test(`${what}: ${moved ? 'shown again' : 'as it was'}`, () => {
    assert.equal(hasEvidenceChanged(then, now), moved)
  })
}
