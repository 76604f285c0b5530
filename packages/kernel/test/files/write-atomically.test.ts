// Readers see the old file or the new one, never a part.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { execa } from 'execa'
import { writeAtomically } from '../../src/index.ts'
import { scratch } from '@gatehouse/testkit/scratch'

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

test('the file has mode 0600 and no other file remains', async (context) => {
  const directory = await scratch(context)
  await writeAtomically(join(directory, 'state.json'), '{}')
  assert.equal(await readFile(join(directory, 'state.json'), 'utf8'), '{}')
  assert.equal(await modeOf(join(directory, 'state.json')), 0o600)
  assert.deepEqual(await readdir(directory), ['state.json'])
})

test('the file has the requested mode, whatever the umask', async (context) => {
  const directory = await scratch(context)
  const before = process.umask(0o077)
  context.after(() => process.umask(before))
  await writeAtomically(join(directory, 'journal.pub'), new Uint8Array([1, 2]), 0o644)
  assert.equal(await modeOf(join(directory, 'journal.pub')), 0o644)
  assert.equal((await readFile(join(directory, 'journal.pub'))).length, 2)
})

test('a failed write leaves the old content and no temporary file', async (context) => {
  const directory = await scratch(context)
  await mkdir(join(directory, 'taken'))
  await writeFile(join(directory, 'taken', 'old'), 'old')
  await assert.rejects(writeAtomically(join(directory, 'taken'), 'new'))
  assert.deepEqual(await readdir(directory), ['taken'])
  assert.equal(await readFile(join(directory, 'taken', 'old'), 'utf8'), 'old')
})

test('readers see complete content at any time, even when the writer is killed', async (context) => {
  const path = join(await scratch(context), 'state.json')
  const writer = execa(process.execPath, [join(import.meta.dirname, '../fixtures/write-forever.ts'), path], { reject: false })
  context.after(() => writer.kill('SIGKILL'))
  const check = async () => {
    const content = await readFile(path, 'utf8')
    assert.equal(content.length, 256 * 1024)
    assert.match(content, /^(?:a+|b+)$/)
  }
  await once(writer.stdout, 'data')
  for (let round = 0; round < 100; round += 1) await check()
  writer.kill('SIGKILL')
  await writer
  await check()
})

test('every file operation works under the permission model of Node', async (context) => {
  const directory = await scratch(context)
  const flags = ['--permission', '--allow-fs-read=*', `--allow-fs-write=${directory}`]
  const { stdout } = await execa(process.execPath, [...flags, join(import.meta.dirname, '../fixtures/confined.ts'), directory])
  assert.equal(stdout, 'done')
  assert.equal(await modeOf(join(directory, 'inner', 'file')), 0o640)
})
