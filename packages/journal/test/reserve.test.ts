import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, rmSync, statfsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Logger } from '@gatehouse/kernel'
import { limits } from '@gatehouse/contracts'
import { type Journal, type JournalOptions, openJournal, verifyJournal } from '../src/index.ts'
import { createReserve } from '../src/reserve.ts'
import { noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import { isUnwritable, line, lines, newDirectory, newOptions, openFor, optionsIn, silent, textsOf } from './state.ts'

const KiB = 1024
const bytes = 64 * KiB

const blocksOf = (path: string): number => statSync(path).blocks * 512

/** Fills the disk completely. */
const fill = (directory: string): (() => void) => {
  const path = join(directory, 'filler')
  assert.throws(() => writeFileSync(path, Buffer.alloc(1024 * KiB)), { code: 'ENOSPC' })
  return () => rmSync(path)
}

const free = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

const listening = (): { log: Logger; told: string[] } => {
  const messages: string[] = []
  const tell = (message: string): void => void messages.push(message)
  return { log: { ...silent, info: tell, warn: tell }, told: messages }
}

describe('a disk reserve', () => {
  test('has real blocks and is accessible only to its owner', async (t) => {
    const path = join(newDirectory(t), 'audit.reserve')
    const reserve = createReserve({ path, bytes: 3 * 1024 * KiB + 5 }, silent)
    await reserve.refill()
    assert.equal(statSync(path).size, 3 * 1024 * KiB + 5)
    assert.ok(blocksOf(path) >= 3 * 1024 * KiB + 5)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const content = readFileSync(path)
    assert.ok(new Set(content.subarray(0, 4096)).size > 200, 'the content cannot be compressed')
    assert.equal(reserve.isAvailable(), true)
  })

  test('of an earlier process is not written again', async (t) => {
    const path = join(newDirectory(t), 'audit.reserve')
    await createReserve({ path, bytes }, silent).refill()
    const before = readFileSync(path)
    const again = createReserve({ path, bytes }, silent)
    await again.refill()
    assert.deepEqual(readFileSync(path), before)
    assert.equal(await again.release(), true)
  })

  test('replaces a sparse file or a file of another size', async (t) => {
    const path = join(newDirectory(t), 'audit.reserve')
    for (const size of [bytes, bytes / 2, bytes * 2]) {
      writeFileSync(path, '')
      truncateSync(path, size)
      assert.ok(blocksOf(path) < bytes)
      await createReserve({ path, bytes }, silent).refill()
      assert.equal(statSync(path).size, bytes)
      assert.ok(blocksOf(path) >= bytes)
    }
  })

  test('is released once and created again', async (t) => {
    const path = join(newDirectory(t), 'audit.reserve')
    const { log, told: messages } = listening()
    const reserve = createReserve({ path, bytes }, log)
    await reserve.refill()
    assert.deepEqual([await reserve.release(), await reserve.release()], [true, false])
    assert.deepEqual([reserve.isAvailable(), existsSync(path)], [false, false])
    await Promise.all([reserve.refill(), reserve.refill()])
    assert.deepEqual([reserve.isAvailable(), statSync(path).size], [true, bytes])
    assert.deepEqual(messages, ['disk full: released the disk reserve of the journal', 'disk reserve of the journal restored'])
  })

  test('that is being created is released too', async (t) => {
    const path = join(newDirectory(t), 'audit.reserve')
    const reserve = createReserve({ path, bytes }, silent)
    const filling = reserve.refill()
    assert.equal(reserve.isAvailable(), true)
    assert.equal(await reserve.release(), true)
    await filling
    assert.equal(existsSync(path), false)
  })

  test('is not modified after close', async (t) => {
    const path = join(newDirectory(t), 'audit.reserve')
    const reserve = createReserve({ path, bytes }, silent)
    const filling = reserve.refill()
    await reserve.close()
    assert.equal(statSync(path).size, bytes, 'a write in progress is completed')
    await filling
    assert.equal(await reserve.release(), true)
    await reserve.refill()
    assert.equal(existsSync(path), false)
  })

  test('that cannot be created is logged once', async (t) => {
    const { log, told: messages } = listening()
    const reserve = createReserve({ path: join(newDirectory(t), 'nowhere', 'audit.reserve'), bytes }, log)
    await reserve.refill()
    await reserve.refill()
    assert.deepEqual([reserve.isAvailable(), await reserve.release()], [false, false])
    assert.deepEqual(messages, ['could not create the disk reserve of the journal'])
  })

  test('is created only if its size remains free', { skip: noSmallDisk }, () =>
    onSmallDisk('256k', async (directory) => {
      const path = join(directory, 'audit.reserve')
      const reserve = createReserve({ path, bytes }, silent)
      const filler = join(directory, 'filler')
      writeFileSync(filler, Buffer.alloc(free(directory) - 2 * bytes + 4 * KiB))
      const before = free(directory)
      await reserve.refill()
      assert.deepEqual([reserve.isAvailable(), existsSync(path), free(directory)], [false, false, before])
      writeFileSync(filler, Buffer.alloc(4 * KiB))
      await reserve.refill()
      assert.equal(reserve.isAvailable(), true)
      assert.ok(free(directory) >= bytes)
    }),
  )
})

const withReserve = (options: JournalOptions, directory: string): JournalOptions => ({
  ...options,
  reserve: { path: join(directory, 'audit.reserve'), bytes },
})

/** On a disk of 512 KiB with a reserve of 64 KiB. */
const onDisk = (act: (journal: Journal, directory: string) => Promise<void>): Promise<void> =>
  onSmallDisk('512k', async (directory) => {
    const options = withReserve(optionsIn(directory), directory)
    // Complete from the start, so that nothing is written during the test.
    await createReserve({ path: join(directory, 'audit.reserve'), bytes }, silent).refill()
    const journal = await openJournal(options)
    try {
      await act(journal, directory)
      assert.equal((await verifyJournal({ ...options, known: [journal.head()] })).ok, true)
    } finally {
      await journal.close()
    }
  })

const large = (name: string): string => `${name} ${'x'.repeat(8 * KiB)}`

describe('a journal with a disk reserve', () => {
  test('accepts lines on a full disk until the reserve is used up', { skip: noSmallDisk }, () =>
    onDisk(async (journal, directory) => {
      const empty = fill(directory)
      const texts: string[] = []
      const appendUntilFull = async (): Promise<never> => {
        const text = large(String(texts.length))
        await journal.append([line(text)])
        texts.push(text)
        return appendUntilFull()
      }
      await assert.rejects(appendUntilFull(), isUnwritable)
      assert.ok(texts.length >= 6, `got ${texts.length} lines of 8 KiB from 64`)
      assert.equal(journal.hasReserve(), false)
      assert.deepEqual(textsOf(await journal.page({ limit: 100 })), texts.toReversed())
      empty()
    }),
  )

  test('creates the reserve again when there is space', { skip: noSmallDisk }, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    await onDisk(async (journal, directory) => {
      const empty = fill(directory)
      await journal.append([line(large('from the reserve'))])
      assert.equal(journal.hasReserve(), false)
      t.mock.timers.tick(limits.auditReserveRetry)
      await journal.makeRoom()
      assert.equal(journal.hasReserve(), false, 'a full disk has no space for the reserve')
      empty()
      t.mock.timers.tick(limits.auditReserveRetry)
      // A release was preceded by a creation.
      assert.equal(await journal.makeRoom(), true)
    })
  })

  test('reports whether the reserve exists, and releases it on request', async (t) => {
    const directory = newDirectory(t)
    const journal = await openFor(t, withReserve(optionsIn(directory), directory))
    assert.equal(journal.hasReserve(), true)
    assert.deepEqual([await journal.makeRoom(), await journal.makeRoom()], [true, false])
    assert.equal(journal.hasReserve(), false)
    assert.equal(existsSync(join(directory, 'audit.reserve')), false)
    await journal.append(lines(1))
  })

  test('reports no missing reserve when none is configured', async (t) => {
    const journal = await openFor(t, newOptions(t))
    assert.deepEqual([journal.hasReserve(), await journal.makeRoom()], [true, false])
  })

  test('leaves the reserve on the disk when it is closed', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const directory = newDirectory(t)
    const journal = await openJournal(withReserve(optionsIn(directory), directory))
    await journal.close()
    assert.ok(blocksOf(join(directory, 'audit.reserve')) >= bytes)
    rmSync(join(directory, 'audit.reserve'))
    t.mock.timers.tick(limits.auditReserveRetry)
    assert.equal(existsSync(join(directory, 'audit.reserve')), false)
  })

  test('uses the reserve to save a torn end on a full disk', { skip: noSmallDisk }, () =>
    onSmallDisk('512k', async (directory) => {
      const options = withReserve(optionsIn(directory), directory)
      const first = await openJournal(options)
      await first.append(lines(3))
      await first.close()
      appendFileSync(options.path, '{"seq":4,"torn')
      fill(directory)
      const second = await openJournal(options)
      await second.append(lines(1))
      assert.equal(readFileSync(join(directory, 'audit.torn-1'), 'utf8'), '{"seq":4,"torn')
      assert.equal(existsSync(join(directory, 'audit.reserve')), false)
      await second.close()
      assert.equal((await verifyJournal(options)).ok, true)
    }),
  )

  test('uses the reserve to sign its head when it is closed on a full disk', { skip: noSmallDisk }, () =>
    onDisk(async (journal, directory) => {
      const { lines: placed } = await journal.append([line('')])
      const length = (placed[0]?.length ?? 0) + 1
      // The next line begins a new page.
      await journal.append([line('x'.repeat(4 * KiB - 2 * length))])
      assert.equal(statSync(join(directory, 'audit.jsonl')).size, 4 * KiB)
      fill(directory)
      await journal.close()
      assert.equal(journal.checkpoint()?.seq, 2)
    }),
  )
})
