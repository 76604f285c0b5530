// An archive is read independently of how its bytes are split, even within multi-byte characters.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isRefusal } from '@gatehouse/kernel'
import type { Entry } from '../src/entry.ts'
import { findArchiveFault } from '../src/rules.ts'
import { unpack } from '../src/unpack.ts'
import { contents, directory, file, link, plain } from './archives.ts'

const workspace = 'state/groups/dev-agent/workspace'

/** Nested directories with long names of three-byte characters, and many files in the last one. */
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
  test('has the same paths for every piece size', async () => {
    const bytes = await plain(wide())
    const paths = wide().map(({ path }) => path)
    for (const size of [100, 512, 1000, 1024, 65_024, 65_536, bytes.length])
      assert.deepEqual(await pathsIn(bytes, size), paths, String(size))
  })

  test('accepts names with line breaks only where they can be represented', async () => {
    const fit = [file(`${workspace}/a\nb`, ''), file(`${workspace}/é\n30 path=state`, ''), link(`${workspace}/\n`, '\n')]
    const entries = [...contents(), ...fit]
    assert.deepEqual(
      fit.map((entry) => findArchiveFault(entry)),
      [undefined, undefined, undefined],
    )
    assert.deepEqual(
      await pathsIn(await plain(entries), 65_536),
      entries.map(({ path }) => path),
    )
    const long = 'x'.repeat(150)
    for (const unfit of [file(`${workspace}/${long}\nb`, ''), link(`${workspace}/l`, `${long}\n`)]) {
      assert.match(findArchiveFault(unfit) ?? '', /that an archive cannot represent/)
      await assert.rejects(pathsIn(await plain([...contents(), unfit]), 65_536), isRefusal)
    }
  })

  test('refuses entries that the rules forbid, and paths that a restore could not create', () => {
    assert.match(findArchiveFault(file(`state/${'x'.repeat(300)}`, '')) ?? '', /contains an invalid name/)
    assert.match(findArchiveFault(link('state/packages/l', 'x')) ?? '', /links are allowed only among the files of agents/)
    const deep = (letters: number): string =>
      `${workspace}/${Array.from({ length: 37 }, () => 'x'.repeat(100)).join('/')}/${'y'.repeat(letters)}`
    const room = 3800 - deep(0).length
    assert.equal(findArchiveFault(file(deep(room), '')), undefined)
    assert.match(findArchiveFault(file(deep(room + 1), '')) ?? '', /longer than 3800 bytes/)
  })
})
