// What a contributor adds most often: how many files it takes, and that the map in CONTRIBUTING names all of them.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { errands } from './all.ts'
import type { Errand } from './errand.ts'

const root = join(import.meta.dirname, '../../../..')

const isOwn = ({ folder }: Errand, file: string): boolean => folder !== undefined && file.startsWith(`${folder}/`)
const filesOf = (errand: Errand): string[] => [...new Set([...errand.name, ...errand.rest].map(({ file }) => file))]
const counted = (errand: Errand): string[] => filesOf(errand).filter((file) => !isOwn(errand, file))

/** Files and folders that the row of a task names. */
const namedIn = (map: string, task: string): string[] => {
  const row = map.split('\n').find((line) => line.startsWith(`| ${task} |`)) ?? ''
  return [...row.replace(`| ${task} |`, '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
}

const isNamed = (names: readonly string[], file: string): boolean => names.some((name) => file === name || file.startsWith(`${name}/`))

for (const errand of errands) {
  test(`${errand.task}: at most ${errand.most} files, all of them named in CONTRIBUTING`, async (t) => {
    const files = counted(errand)
    t.diagnostic(`${files.length} of ${errand.most}: ${files.join(', ')}${errand.folder === undefined ? '' : `, and ${errand.folder}`}`)
    assert.ok(files.length <= errand.most, files.join(', '))
    const names = namedIn(await readFile(join(root, 'CONTRIBUTING.md'), 'utf8'), errand.task)
    for (const { file } of [...errand.name, ...errand.rest, ...(errand.tests ?? [])])
      assert.ok(isNamed(names, file), `${file} is not named`)
  })
}
