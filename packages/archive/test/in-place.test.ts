// A restore into a volume of a unit that may still run: only root can access the files until all are written.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { chmod, chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { isRefusal, type Refusal, restoringPrefix } from '@gatehouse/kernel'
import { restore, type RestoreOptions } from '../src/restore.ts'
import { contents, file, identity, plain, scratch, sealed, written } from './archives.ts'

const needsRoot = process.getuid?.() === 0 ? false : 'needs root: to write to a directory of another user'
if (needsRoot !== false && process.env['CI'] === 'true') throw new Error(needsRoot)

const volumeOf = async (t: TestContext, owner: readonly [number, number]): Promise<RestoreOptions> => {
  const folder = await scratch(t)
  const stateDir = join(folder, 'state')
  await mkdir(join(stateDir, 'lost+found'), { recursive: true, mode: 0o700 })
  await chmod(stateDir, 0o750)
  await chown(stateDir, ...owner)
  const many = Array.from({ length: 500 }, (_, index) => file(`state/groups/dev-agent/workspace/${index}`, 'x'))
  const archive = await written(folder, await sealed(await plain([...contents(), ...many])))
  return { file: archive, opener: { identities: [identity] }, stateDir, masterKeyFile: null }
}

const ownerAt = async (path: string): Promise<readonly number[]> => {
  const { uid, gid, mode } = await stat(path)
  return [uid, gid, mode & 0o7777]
}

const working = (stateDir: string): string | undefined => readdirSync(stateDir).find((name) => name.startsWith(restoringPrefix))

/** Modes and owners of the directory, observed while the working directory existed. */
const seenMeanwhile = async (stateDir: string, ended: Promise<unknown>): Promise<string[]> => {
  const seen = new Set<string>()
  const state = { ended: false }
  void ended.finally(() => (state.ended = true))
  while (!state.ended) {
    const before = working(stateDir)
    const { uid, mode } = statSync(stateDir)
    if (before !== undefined && working(stateDir) !== undefined) seen.add(`${before} ${uid} ${(mode & 0o777).toString(8)}`)
    await setImmediate()
  }
  return [...seen]
}

const refusalOf = async (options: RestoreOptions): Promise<Refusal> => {
  const error: unknown = await restore(options).catch((thrown: unknown) => thrown)
  assert.ok(isRefusal(error), String(error))
  return error
}

/** A restore that is killed as soon as it writes. */
const killedRestore = async ({ file: archive, stateDir }: RestoreOptions): Promise<void> => {
  const script = join(import.meta.dirname, 'fixtures/restore-child.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', script, archive, identity, stateDir], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  while (child.exitCode === null && working(stateDir) === undefined) await setImmediate()
  child.kill('SIGKILL')
  await ended
  assert.equal(child.signalCode, 'SIGKILL')
}

suite('a restore by root into a directory that is filled in place', { skip: needsRoot }, () => {
  test('has exclusive access while it writes, and restores owner and mode afterwards', async (t) => {
    const options = await volumeOf(t, [1234, 1235])
    const restoring = restore(options)
    assert.deepEqual(await seenMeanwhile(options.stateDir, restoring), [`${restoringPrefix}1234-1235 0 700`])
    await restoring
    assert.deepEqual(await ownerAt(options.stateDir), [1234, 1235, 0o750])
    assert.deepEqual((await ownerAt(join(options.stateDir, 'state.json'))).slice(0, 2), [1234, 1235])
    assert.equal(working(options.stateDir), undefined)
  })

  test('has exclusive access to a directory of root too, and restores its mode', async (t) => {
    const options = await volumeOf(t, [0, 0])
    const restoring = restore(options)
    const seen = await seenMeanwhile(options.stateDir, restoring)
    assert.ok(seen.length === 1 && seen[0]?.endsWith(' 0 700'), seen.join())
    await restoring
    assert.deepEqual(await ownerAt(options.stateDir), [0, 0, 0o750])
  })

  test('that fails restores owner and mode too', async (t) => {
    const options = await volumeOf(t, [1234, 1235])
    await writeFile(options.file, await sealed(await plain([...contents(), file('state/lost+found', 'x')])))
    await assert.rejects(restore(options), /EISDIR|ENOTEMPTY/)
    assert.deepEqual(await ownerAt(options.stateDir), [1234, 1235, 0o750])
  })

  test('that was killed reports the former owner, and can be repeated only after that owner has the directory again', async (t) => {
    const options = await volumeOf(t, [1234, 1235])
    const { stateDir } = options
    await killedRestore(options)
    assert.deepEqual(await ownerAt(stateDir), [0, 1235, 0o1700])
    const half = await refusalOf(options)
    assert.match(half.detail, /is not empty/)
    assert.match(half.hint ?? '', new RegExp(`empty it, run chown 1234:1235 ${stateDir}, and restore`))
    for (const name of await readdir(stateDir)) if (name !== 'lost+found') await rm(join(stateDir, name), { recursive: true })
    const emptied = await refusalOf(options)
    assert.match(emptied.hint ?? '', new RegExp(`run chown UID:1235 ${stateDir}, with the uid that the unit runs as`))
    await chown(stateDir, 1234, 1235)
    await restore(options)
    assert.deepEqual(await ownerAt(stateDir), [1234, 1235, 0o700])
    assert.deepEqual((await ownerAt(join(stateDir, 'keyring.json'))).slice(0, 2), [1234, 1235])
  })
})
