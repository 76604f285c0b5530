// An exclusive lock on a file that its holder may remove.
import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { execa } from 'execa'
import { lockWriter, takeLock } from '../../src/index.ts'
import { scratch } from '@gatehouse/testkit/scratch'

const holder = join(import.meta.dirname, '../fixtures/hold-lock.ts')

test('a missing file is locked only with the create option', async (context) => {
  const directory = await scratch(context)
  const path = join(directory, 'a b?c%.lock')
  await assert.rejects(takeLock(path, { create: false }), { code: 'ENOENT' })
  assert.deepEqual(await readdir(directory), [])
  const lock = await takeLock(path, { create: true })
  assert.ok(lock !== undefined)
  assert.equal(await takeLock(path, { create: true }), undefined)
  await lock.release()
  const again = await takeLock(path, { create: false })
  assert.ok(again !== undefined)
  await again.release()
})

test('a file that was removed and created again is not locked by the holder of the removed one', async (context) => {
  const path = join(await scratch(context), 'lock')
  const former = await takeLock(path, { create: true })
  await rm(path)
  await writeFile(path, '')
  const lock = await takeLock(path, { create: false })
  assert.ok(lock !== undefined)
  await former?.release()
  assert.equal(await takeLock(path, { create: false }), undefined)
  await lock.release()
})

test('one process at a time holds a lock whose file the holders remove', async (context) => {
  const path = join(await scratch(context), 'lock')
  const contend = join(import.meta.dirname, '../fixtures/contend-lock.ts')
  const ended = await Promise.all([1, 2, 3].map(() => execa(process.execPath, [contend, path, '100'], { reject: false })))
  assert.deepEqual(
    ended.map(({ stderr }) => stderr.split('\n').find((line) => line.includes('EEXIST'))),
    [undefined, undefined, undefined],
  )
  assert.deepEqual(
    ended.map(({ exitCode }) => exitCode),
    [0, 0, 0],
  )
})

const unshared = ['--mount', '--propagation', 'private']
const missing = await execa('unshare', [...unshared, 'true'], { reject: false }).then(({ failed }) =>
  failed ? 'needs root and unshare, install with apt-get install util-linux, and run as root' : false,
)
if (missing !== false && process.env['CI'] === 'true') throw new Error(missing)

test('a bind mount of a locked state directory is locked too', { skip: missing }, async (context) => {
  const home = await scratch(context)
  const [state, elsewhere] = [join(home, 'state'), join(home, 'elsewhere')]
  for (const path of [state, elsewhere]) await mkdir(path, { mode: 0o700 })
  const lock = await lockWriter(state, 'gateway')
  // The kernel releases a lock when its process closes any descriptor of the file.
  await assert.rejects(lockWriter(state, 'gateway'))
  const script = 'mount --bind "$1" "$2" && exec "$3" "$4" "$2"'
  const { stdout } = await execa('unshare', [...unshared, 'sh', '-c', script, 'sh', state, elsewhere, process.execPath, holder])
  assert.match(stdout, /"exit":75.*another unit holds the state/)
  await lock.release()
})
