// A directory of one owner, or the line that makes it one.
import assert from 'node:assert/strict'
import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { privateDirectory, Refusal } from '../../src/index.ts'
import { scratch } from '../fixtures/scratch.ts'

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
  await assert.rejects(privateDirectory('/proc/gatehouse/x'), refusal(77, /^run: install -d .* \/proc\/gatehouse\/x$/))
})

test('refuses another mode and names the chmod', async (context) => {
  const path = join(await scratch(context), 'wide')
  await mkdir(path)
  await chmod(path, 0o755)
  await assert.rejects(privateDirectory(path), refusal(77, new RegExp(`^run: chmod 0700 ${path}$`)))
})

test('refuses a file in its place', async (context) => {
  const path = join(await scratch(context), 'file')
  await writeFile(path, '')
  await assert.rejects(privateDirectory(path), refusal(77, /move .* away/))
})

test('refuses a foreign owner and names the chown', { skip: process.getuid?.() !== 0 && 'needs root' }, async (context) => {
  const path = join(await scratch(context), 'foreign')
  await mkdir(path, { mode: 0o700 })
  await chown(path, 12_345, 12_345)
  await assert.rejects(privateDirectory(path), refusal(77, new RegExp(`^run: chown -R 0:0 ${path}$`)))
})
