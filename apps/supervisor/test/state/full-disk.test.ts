// Backups while the disk of the state directory becomes full: nothing of them is left, and the next one is taken.
import assert from 'node:assert/strict'
import { readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { createLogger } from '@gatehouse/kernel'
import { noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import { newestOf, subkeysOf } from '../../src/keys/keyring.ts'
import { type Backups, createBackups } from '../../src/state/backup/backups.ts'
import type { Queues } from '../../src/state/backup/databases.ts'
import { sessions, smallState } from './state.ts'

if (noSmallDisk !== false && process.env['CI'] === 'true') throw new Error(noSmallDisk)

const passphrase = 'a passphrase of the test 0123456789'

/** All of the room, while it was being counted on. */
const fill = async (disk: string): Promise<void> => {
  const { bavail, bsize } = await statfs(disk)
  await writeFile(join(disk, 'filler'), Buffer.alloc(bavail * bsize))
}

const sizeOfAll = async (backups: Backups, id: string): Promise<number> => {
  let size = 0
  for (let bytes = await backups.read(id); bytes !== null; bytes = await backups.read(id)) size += bytes.length
  await backups.end(id)
  return size
}

suite('a backup on a disk that becomes full', { skip: noSmallDisk }, () => {
  for (const moment of ['touched', 'hold'] as const) {
    test(`at the moment "${moment}" is refused with what to do, leaves nothing, and is taken when there is room`, async (t) => {
      await onSmallDisk('4m', async (disk) => {
        const { dir, epochs } = await smallState(t, disk)
        const newest = newestOf(epochs)
        let due = true
        const fillAt = async (now: string): Promise<void> => {
          if (due && now === moment) await fill(disk)
        }
        const queues: Queues = {
          touched: async () => (await fillAt('touched'), []),
          hold: async () => (await fillAt('hold'), { hold: 'h', sessions }),
          release: () => Promise.resolve(true),
          openDisks: () => Promise.resolve([]),
        }
        const log = createLogger({ process: 'test', level: 'error', write: (line) => assert.fail(line) })
        const place = { stateDir: dir, mode: 'production', catalog: null, installation: 'a'.repeat(32), release: '0.0.0' } as const
        const backups = createBackups({ ...place, newest, keys: subkeysOf(newest), masterKey: 'inside', queues, log })
        await assert.rejects(backups.begin({ passphrase }), (error) => {
          assert.ok(isServiceError(error), String(error))
          assert.equal(error.code, 'unavailable')
          assert.equal(error.detail, 'the disk of the state directory became full while the databases were copied')
          assert.match(error.hint ?? '', /^make room .* take the backup again/)
          return true
        })
        assert.ok(!(await readdir(dir)).some((name) => name.startsWith('.backup-')))

        due = false
        await rm(join(disk, 'filler'))
        const { id } = await backups.begin({ passphrase })
        assert.ok((await sizeOfAll(backups, id)) > 10_000)
        await backups.close()
      })
    })
  }
})
