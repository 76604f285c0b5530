// A state directory has at most one writer, and none after the writer has ended.
import assert from 'node:assert/strict'
import { chmod, chown, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { execa } from 'execa'
import { lockWriter, Refusal, waitFor } from '../../src/index.ts'
import { scratch } from '@gatehouse/testkit/scratch'

const holder = join(import.meta.dirname, '../fixtures/hold-lock.ts')
const taken = (error: unknown): boolean => error instanceof Refusal && error.exit === 75

test('the lock is held until it is released', async (context) => {
  const state = await scratch(context)
  const lock = await lockWriter(state, 'gateway')
  assert.equal((await stat(join(state, 'locks'))).mode & 0o777, 0o700)
  assert.equal((await stat(join(state, 'locks', 'gateway.db'))).mode & 0o777, 0o600)
  await assert.rejects(lockWriter(state, 'gateway'), taken)
  const other = await lockWriter(state, 'runner')
  await lock.release()
  await lock.release()
  await (await lockWriter(state, 'gateway')).release()
  await other.release()
})

test('another process is refused the lock even after this process took it twice', async (context) => {
  const state = await scratch(context)
  const lock = await lockWriter(state, 'gateway')
  await assert.rejects(lockWriter(state, 'gateway'), taken)
  const { stdout } = await execa(process.execPath, [holder, state])
  assert.match(stdout, /"exit":75.*another unit holds the state/)
  await lock.release()
})

test('the lock is free after its holder was killed', async (context) => {
  const state = await scratch(context)
  const other = execa(process.execPath, [holder, state], { reject: false })
  for await (const line of other.iterable()) {
    assert.equal(line, 'held')
    await assert.rejects(lockWriter(state, 'gateway'), taken)
    other.kill('SIGKILL')
  }
  await other
  const lock = await waitFor(() => lockWriter(state, 'gateway').catch(() => undefined), { what: 'the lock' })
  await lock.release()
})

test(
  'a state directory that cannot be written is refused with the chown command',
  { skip: process.getuid?.() !== 0 && 'needs root' },
  async (context) => {
    const root = await scratch(context)
    await chmod(root, 0o755)
    const state = join(root, 'state')
    await mkdir(state, { mode: 0o755 })
    const { stdout } = await execa(process.execPath, [holder, state], { uid: 65_532, gid: 65_532 })
    assert.match(stdout, /"exit":77/)
    assert.ok(stdout.includes(`"hint":"run as root: chown -R 65532:65532 ${state} && chmod 0700 ${state}"`), stdout)
    await chown(state, 65_532, 65_532)
    await chmod(state, 0o700)
    const held = execa(process.execPath, [holder, state], { uid: 65_532, gid: 65_532, reject: false })
    for await (const line of held.iterable()) {
      assert.equal(line, 'held')
      held.kill('SIGKILL')
    }
    await held
  },
)
