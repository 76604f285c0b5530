// An archive is read the same however its bytes come: letters of several bytes lie across the ends of pieces and blocks.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isRefusal } from '@gatehouse/kernel'
import type { Entry } from '../src/entry.ts'
import { unfitFor } from '../src/rules.ts'
import { unpack } from '../src/unpack.ts'
import { contents, directory, file, link, plain } from './archives.ts'

const workspace = 'state/groups/dev-agent/workspace'

/** Directories of long names, each of letters that take three bytes, and many files in the last. */
const wide = (): Entry[] => {
  const names = Array.from({ length: 12 }, (_, index) => '日'.repeat(70 + index))
  const paths = names.map((_, index) => `${workspace}/${names.slice(0, index + 1).join('/')}`)
  const files = Array.from({ length: 60 }, (_, index) => file(`${paths.at(-1)}/${'x'.repeat(index)}本`, ''))
  return [...contents(), ...paths.map((path) => directory(path)), ...files]
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const pathsIn = async (bytes: Buffer, size: number): Promise<string[]> => {
  const paths: string[] = []
  const visit = async (entry: Entry): Promise<void> => {
    paths.push(entry.path)
    if (entry.type === 'file') for await (const _ of entry.body);
  }
  await unpack(inPieces(bytes, size), { begin: () => Promise.resolve(), visit })
  return paths
}

suite('an archive that is read in pieces', () => {
  test('has the same paths, whatever the size of the pieces', async () => {
    const bytes = await plain(wide())
    const paths = wide().map(({ path }) => path)
    for (const size of [100, 512, 1000, 1024, 65_024, 65_536, bytes.length])
      assert.deepEqual(await pathsIn(bytes, size), paths, String(size))
  })

  test('may have names with line ends where they are read as they were written, and is said to be unfit for others', async () => {
    const fit = [file(`${workspace}/a\nb`, ''), file(`${workspace}/é\n30 path=state`, ''), link(`${workspace}/\n`, '\n')]
    const entries = [...contents(), ...fit]
    assert.deepEqual(
      fit.map((entry) => unfitFor(entry)),
      [undefined, undefined, undefined],
    )
    assert.deepEqual(
      await pathsIn(await plain(entries), 65_536),
      entries.map(({ path }) => path),
    )
    const long = 'x'.repeat(150)
    for (const unfit of [file(`${workspace}/${long}\nb`, ''), link(`${workspace}/l`, `${long}\n`)]) {
      assert.match(unfitFor(unfit) ?? '', /not read from an archive as it is written/)
      await assert.rejects(pathsIn(await plain([...contents(), unfit]), 65_536), isRefusal)
    }
  })

  test('is unfit for what its rules refuse, and for paths that a restore could not make', () => {
    assert.match(unfitFor(file(`state/${'x'.repeat(300)}`, '')) ?? '', /expected a path of plain names/)
    assert.match(unfitFor(link('state/packages/l', 'x')) ?? '', /expected links among the files of agents alone/)
    const deep = (letters: number): string =>
      `${workspace}/${Array.from({ length: 37 }, () => 'x'.repeat(100)).join('/')}/${'y'.repeat(letters)}`
    const room = 3800 - deep(0).length
    assert.equal(unfitFor(file(deep(room), '')), undefined)
    assert.match(unfitFor(file(deep(room + 1), '')) ?? '', /longer than 3800 bytes/)
  })
})
