// A directory of one owner, or the line that makes it one.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { privateDirectory, Refusal } from '../../src/index.ts'
import { scratch } from '@gatehouse/testkit/scratch'

const refusal = (exit: number, hint: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Refusal)
  assert.equal(error.exit, exit)
  assert.match(error.hint ?? '', hint)
  return true
}

test('makes the directory and its parents for the owner alone', async (context) => {
  const path = join(await scratch(context), 'a', 'b')
  await privateDirectory(path)
  assert.equal((await stat(path)).mode & 0o777, 0o700)
  await privateDirectory(path)
})

test('makes a directory with the mode that was asked for, whatever the umask', async (context) => {
  const path = join(await scratch(context), 'shared')
  const before = process.umask(0o077)
  context.after(() => process.umask(before))
  await privateDirectory(path, 0o755)
  assert.equal((await stat(path)).mode & 0o777, 0o755)
})

test('refuses a place where nobody can make a directory, and does not try for ever', async () => {
  await assert.rejects(privateDirectory('/proc/gatehouse/x'), refusal(77, /^run as root: mkdir -p \/proc\/gatehouse\/x && /))
})

test('narrows the mode of an empty directory that it owns, such as one that mkdir or a new volume made', async (context) => {
  const parent = await scratch(context)
  for (const [name, mode] of [
    ['mkdir', 0o755],
    ['shared', 0o775],
    ['open', 0o777],
  ] as const) {
    const path = join(parent, name)
    await mkdir(path)
    await chmod(path, mode)
    await privateDirectory(path)
    assert.equal((await stat(path)).mode & 0o777, 0o700, name)
  }
  const volume = join(parent, 'volume')
  await mkdir(join(volume, 'lost+found'), { recursive: true })
  await privateDirectory(volume)
  assert.equal((await stat(volume)).mode & 0o777, 0o700)
})

test('refuses another mode of a directory that holds something, and names the chmod', async (context) => {
  const path = join(await scratch(context), 'wide')
  await mkdir(path)
  await writeFile(join(path, 'file'), '')
  await chmod(path, 0o755)
  await assert.rejects(privateDirectory(path), refusal(77, new RegExp(`^run: chmod 0700 ${path}$`)))
})

test('never adds rights, not even to an empty directory', async (context) => {
  const path = join(await scratch(context), 'narrow')
  await mkdir(path)
  await chmod(path, 0o500)
  await assert.rejects(privateDirectory(path), refusal(77, new RegExp(`^run: chmod 0700 ${path}$`)))
})

test('refuses a file in its place', async (context) => {
  const path = join(await scratch(context), 'file')
  await writeFile(path, '')
  await assert.rejects(privateDirectory(path), refusal(77, /move .* away/))
})

const unlessRoot = { skip: process.getuid?.() !== 0 && 'needs root' }

test('refuses a foreign owner and names the chown and the chmod in one line', unlessRoot, async (context) => {
  const path = join(await scratch(context), 'foreign')
  await mkdir(path, { mode: 0o700 })
  await chown(path, 12_345, 12_345)
  await assert.rejects(privateDirectory(path), refusal(77, new RegExp(`^run as root: chown -R 0:0 ${path} && chmod 0700 ${path}$`)))
})

test('the line for a path with blanks and quotes is one that a shell takes', unlessRoot, async (context) => {
  const path = join(await scratch(context), "it's here")
  await mkdir(path, { mode: 0o755 })
  await chown(path, 12_345, 12_345)
  const hint = await privateDirectory(path).then(
    () => '',
    (error: unknown) => (error instanceof Refusal ? (error.hint ?? '') : String(error)),
  )
  execFileSync('/bin/sh', ['-c', hint.replace('run as root: ', '')])
  await privateDirectory(path)
})
