// The master key turned over: killed before any step it is finished by asking again, and the old key opens nothing then.
import assert from 'node:assert/strict'
import { chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { isRefusal, lockWriter, parseKeyring, readHostActs } from '@gatehouse/kernel'
import { noSmallDisk, onSmallDisk } from '@gatehouse/testkit/small-disk'
import { openKeyFile } from '@gatehouse/store'
import { execa } from 'execa'
import { type Epochs, loadEpochs, newestOf, subkeysOf } from '../../src/keys/keyring.ts'
import { rotateKeys } from '../../src/state/offline/rotate.ts'
import { openDatabase, seqsIn, sessions, smallState, type SmallState } from './state.ts'

const program = join(import.meta.dirname, '../fixtures/rotates.ts')
const steps = ['keyring', ...sessions.map((session) => `key ${session}.key`), 'database', 'journal key', 'note', 'commit']

const opens = async (dir: string, epochs: Epochs): Promise<boolean> => {
  const store = await openDatabase(join(dir, 'gateway.db'), subkeysOf(newestOf(epochs)).database).catch((error: unknown) => {
    assert.ok(isRefusal(error), String(error))
    return undefined
  })
  if (store === undefined) return false
  assert.deepEqual(await seqsIn(store), [0])
  await store.close()
  return true
}

const unseals = async ({ dir, queueKeys }: SmallState, epochs: Epochs): Promise<boolean[]> =>
  Promise.all(
    sessions.map(async (session) => {
      const text = await readFile(join(dir, 'keys', `${session}.key`), 'utf8')
      try {
        return openKeyFile(Buffer.from(subkeysOf(newestOf(epochs)).queues, 'hex'), session, text).key.equals(queueKeys.get(session)!)
      } catch {
        return false
      }
    }),
  )

const assertTurned = async (state: SmallState): Promise<void> => {
  const { dir, epochs: old } = state
  const epochs = await loadEpochs(dir, null)
  assert.deepEqual([epochs.length, newestOf(epochs).epoch], [2, 2])
  assert.equal(await opens(dir, epochs), true)
  assert.equal(await opens(dir, old), false, 'the old key no longer opens the database')
  assert.deepEqual(await unseals(state, epochs), [true, true])
  assert.deepEqual(await unseals(state, old), [false, false], 'nor a queue')
  const acts = await readHostActs(dir)
  assert.deepEqual(
    acts.map(({ stage }) => stage),
    ['epoch'],
  )
  assert.equal((await readFile(join(dir, 'journal.pub'), 'utf8')).match(/BEGIN PUBLIC KEY/g)?.length, 2)
  const left = (await readdir(dir)).filter((name) => /next|rekeyed|tmp|-wal|-shm/.test(name))
  assert.deepEqual(left, [])
}

suite('a rotation of the master key', () => {
  test('puts everything under the new key, and the old one opens nothing any more', async (t) => {
    const state = await smallState(t)
    assert.deepEqual(await rotateKeys({ stateDir: state.dir, masterKeyFile: null }), { epoch: 2, queues: 2 })
    await assertTurned(state)
    for (const name of ['gateway.db', 'keyring.json', 'journal.pub', ...sessions.map((session) => `keys/${session}.key`)])
      assert.equal((await stat(join(state.dir, name))).mode & 0o777, 0o600, name)
  })

  for (const step of steps) {
    test(`that is killed before the step "${step}" starts no unit half done, and is finished by asking again`, async (t) => {
      const state = await smallState(t)
      const ended = await execa(process.execPath, [program, state.dir, step], { reject: false })
      assert.equal(ended.signal, 'SIGKILL', ended.stderr)
      if (step === 'keyring') assert.equal(await opens(state.dir, await loadEpochs(state.dir, null)), true)
      else await assert.rejects(loadEpochs(state.dir, null), /a rotation that was interrupted/)
      await rotateKeys({ stateDir: state.dir, masterKeyFile: null })
      await assertTurned(state)
    })
  }

  test('is refused while a unit runs', async (t) => {
    const { dir } = await smallState(t)
    const lock = await lockWriter(dir, 'runner')
    await assert.rejects(rotateKeys({ stateDir: dir, masterKeyFile: null }), (error) => isRefusal(error) && error.exit === 75)
    await lock.release()
    await rotateKeys({ stateDir: dir, masterKeyFile: null })
  })

  const asRoot = process.getuid?.() === 0 ? false : 'needs root: to give a directory to somebody'
  test('is refused by whoever the state does not belong to, be it root, with what to type', { skip: asRoot }, async (t) => {
    const { dir } = await smallState(t)
    await chown(dir, 65_532, 65_532)
    await assert.rejects(rotateKeys({ stateDir: dir, masterKeyFile: null }), (error) => {
      assert.ok(isRefusal(error))
      assert.deepEqual([error.exit, error.hint], [77, "put sudo -u '#65532' before the command"])
      return true
    })
  })

  test('writes the new key where the old one is kept', async (t) => {
    const { dir } = await smallState(t)
    await mkdir(join(dir, 'elsewhere'))
    const masterKeyFile = join(dir, 'elsewhere/master')
    const [{ key }] = await loadEpochs(dir, null)
    await writeFile(masterKeyFile, key.toString('hex'), { mode: 0o600 })
    await rm(join(dir, 'keyring.json'))
    await rotateKeys({ stateDir: dir, masterKeyFile })
    assert.equal(parseKeyring(await readFile(masterKeyFile, 'utf8'))?.length, 2)
    assert.deepEqual(await readdir(join(dir, 'elsewhere')), ['master'])
    assert.equal(await opens(dir, await loadEpochs(dir, masterKeyFile)), true)
  })

  test('on a full disk ends with what was there, and is finished when there is room', { skip: noSmallDisk }, async (t) => {
    const state = await smallState(t)
    await onSmallDisk('160k', async (disk) => {
      await execa('cp', ['-a', `${state.dir}/.`, disk])
      const rest = join(disk, 'filler')
      await execa('dd', ['if=/dev/zero', `of=${rest}`, 'bs=4k'], { reject: false })
      await assert.rejects(rotateKeys({ stateDir: disk, masterKeyFile: null }))
      await rm(rest)
      assert.equal(await opens(disk, state.epochs), true)
      await rotateKeys({ stateDir: disk, masterKeyFile: null })
      assert.equal(await opens(disk, state.epochs), false)
    })
  })
})
