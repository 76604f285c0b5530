// A start on a disk that others have filled: what is kept for the journal is there for it.
import assert from 'node:assert/strict'
import { existsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import { audit } from '../fixtures/records.ts'
import { openState, openUnit } from '../fixtures/unit.ts'
import { note } from './own-ledger.ts'

const reserve = 4 * 1024 * 1024

/** Until not a page is left. */
const fill = (path: string): void => {
  for (let size = 1024 * 1024; size >= 1;) {
    try {
      writeFileSync(path, Buffer.alloc(size), { flag: 'a' })
    } catch {
      size = Math.floor(size / 2)
    }
  }
}

/** Bytes with which a database can be opened, and not be brought up to the journal. */
const little = 128 * 1024

for (const [ended, drop, left] of [
  ['killed behind lines that the database lacks', true, little],
  ['stopped', false, 0],
] as const)
  test(`a unit that was ${ended} starts on a full disk with what is kept for the journal`, { skip: noSmallDisk }, async () => {
    await onSmallDisk('24m', async (dir) => {
      const unit = await openUnit({ dir, reserve })
      if (drop) {
        await unit.drop()
        const { store, journal } = await openState(dir, reserve)
        await journal.release()
        await journal.append(Array.from({ length: 2_000 }, () => note('x'.repeat(500))))
        await Promise.all([journal.close(), store.close()])
      } else await unit.close()
      assert.ok(existsSync(join(dir, 'audit.reserve')))
      fill(join(dir, 'filler'))
      truncateSync(join(dir, 'filler'), statSync(join(dir, 'filler')).size - left)
      const again = await openUnit({ dir, reserve })
      assert.ok(!existsSync(join(dir, 'audit.reserve')))
      const lines = await audit(again)
      const [head] = await again.store.read.all<{ seq: number }>('SELECT seq FROM head')
      assert.deepEqual([head?.seq, lines.at(-1)?.stage], [lines.at(-1)?.seq, 'start'])
      await again.close()
    })
  })
