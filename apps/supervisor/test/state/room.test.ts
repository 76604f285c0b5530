// What the files of one group may take of a backup, and what that leaves to others.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Entry } from '@gatehouse/archive'
import { createRoom } from '../../src/state/backup/notices.ts'

const GiB = 1024 ** 3
const common = { mode: 0o600, uid: 0, gid: 0, mtime: new Date(0) }
const none = async function* (): AsyncGenerator<Uint8Array> {}
const sized = (path: string, size: number): Entry => ({ ...common, type: 'file', path, size, body: none() })
const linked = (path: string): Entry => ({ ...common, type: 'link', path, target: 'x'.repeat(4000) })

suite('the room that a group has in a backup', () => {
  test('is half of what the disk has free for files with holes, and half of the rest for the next group', () => {
    const refuses = createRoom(16 * GiB)
    const take = (path: string, gibibytes: number): boolean => refuses(sized(path, gibibytes * GiB), 0) === undefined
    assert.deepEqual([take('state/groups/a/x', 3), take('state/groups/a/y', 2), take('state/groups/a/z', 1)], [true, false, true])
    assert.deepEqual([take('state/groups/b/x', 3), take('state/groups/b/y', 2)], [false, true])
    assert.match(refuses(sized('state/groups/b/z', GiB), 0) ?? '', /larger than what it takes of the disk/)
  })

  test('is not used up by files that take of the disk what they are long, be they as large as they may', () => {
    const refuses = createRoom(0)
    for (let index = 0; index < 100; index += 1) {
      assert.equal(refuses(sized(`state/groups/a/${index}`, 100 * GiB), 100 * GiB - 4095), undefined)
      assert.equal(refuses(sized(`state/groups/a/small-${index}`, 4000), 0), undefined)
    }
  })

  test('ends where their number is more than an archive may have, which leaves as many to others as they had', () => {
    const refuses = createRoom(0)
    const countOf = (owner: string, most: number): number => {
      let count = 0
      while (count < most && refuses(sized(`state/groups/${owner}/x`, 0), 0) === undefined) count += 1
      return count
    }
    assert.deepEqual([countOf('a', 2_000_000), countOf('b', 500_000)], [1_500_000, 500_000])
  })

  test('ends where the names that a restore has in memory become too many', () => {
    const refuses = createRoom(0)
    let count = 0
    while (count < 100_000 && refuses(linked('state/groups/a/l'), 0) === undefined) count += 1
    assert.ok(count > 60_000 && count < 70_000, String(count))
    assert.match(refuses(linked('state/groups/a/l'), 0) ?? '', /long names/)
    assert.equal(refuses(linked('state/groups/b/l'), 0), undefined)
  })
})
