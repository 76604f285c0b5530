// Private directories, and the command that fixes a wrong owner or mode.
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

test('the directory and its parents are created for the owner only', async (context) => {
  const path = join(await scratch(context), 'a', 'b')
  await privateDirectory(path)
  assert.equal((await stat(path)).mode & 0o777, 0o700)
  await privateDirectory(path)
})

test('a directory is created with the requested mode, whatever the umask', async (context) => {
  const path = join(await scratch(context), 'shared')
  const before = process.umask(0o077)
  context.after(() => process.umask(before))
  await privateDirectory(path, 0o755)
  assert.equal((await stat(path)).mode & 0o777, 0o755)
})

test('a path in which no directory can be created is refused without endless retries', async () => {
  await assert.rejects(privateDirectory('/proc/gatehouse/x'), refusal(77, /^run as root: mkdir -p \/proc\/gatehouse\/x && /))
})

test('the mode of an empty directory of this user is narrowed', async (context) => {
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

test('a wrong mode of a directory with content is refused with the chmod command', async (context) => {
  const path = join(await scratch(context), 'wide')
  await mkdir(path)
  await writeFile(join(path, 'file'), '')
  await chmod(path, 0o755)
  await assert.rejects(privateDirectory(path), refusal(77, new RegExp(`^run: chmod 0700 ${path}$`)))
})

test('permissions are never added, not even to an empty directory', async (context) => {
  const path = join(await scratch(context), 'narrow')
  await mkdir(path)
  await chmod(path, 0o500)
  await assert.rejects(privateDirectory(path), refusal(77, new RegExp(`^run: chmod 0700 ${path}$`)))
})

test('a file at the path is refused', async (context) => {
  const path = join(await scratch(context), 'file')
  await writeFile(path, '')
  await assert.rejects(privateDirectory(path), refusal(77, /move .* away/))
})

const unlessRoot = { skip: process.getuid?.() !== 0 && 'needs root' }

test('another owner is refused with one command for chown and chmod', unlessRoot, async (context) => {
  const path = join(await scratch(context), 'foreign')
  await mkdir(path, { mode: 0o700 })
  await chown(path, 12_345, 12_345)
  await assert.rejects(privateDirectory(path), refusal(77, new RegExp(`^run as root: chown -R 0:0 ${path} && chmod 0700 ${path}$`)))
})

test('the command for a path with spaces and quotes is valid in a shell', unlessRoot, async (context) => {
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
