// The reader of the documents itself: what a page gets wrong is found, and named by its line.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { follow } from '../../src/documents/follow.ts'
import { freshDirectory } from '../../src/unit.ts'

let folder = ''
before(async () => {
  folder = await freshDirectory()
})
after(() => rm(folder, { recursive: true, force: true }))

interface Block {
  readonly marks: string
  readonly text: string
}

const block = (marks: string, text: string): Block => ({ marks, text })

const read = async (name: string, blocks: readonly Block[]): Promise<void> => {
  const page = join(folder, `${name}.md`)
  await writeFile(page, blocks.map(({ marks, text }) => `\`\`\`${marks}\n${text}\n\`\`\`\n`).join('\nWords.\n\n'))
  await follow(page)
}

test('variables, the directory and files that were saved are there for the next block', () =>
  read('kept', [
    block('json test file=entry.json', '{ "a": 1 }'),
    block('sh test', 'word=kept\nmkdir below && cd below'),
    block('sh test', 'echo "$word here"; cat ../entry.json; pwd'),
    block('text shows', 'kept   here\n{ "a": 1 }\n…/below'),
    block('sh elsewhere', 'exit 1'),
    block('text', 'nobody looks at this'),
  ]))

test('a line that fails is found although more lines follow it', async () => {
  await assert.rejects(read('fails', [block('sh test', 'true'), block('sh test', 'false\ntrue')]), /fails\.md:7/)
})

test('a block that is to fail must, and as the page says', async () => {
  await read('refused', [block('sh test ends=6', '(exit 6)'), block('sh test', 'true')])
  await assert.rejects(read('not-refused', [block('sh test ends=6', 'true')]), /not-refused\.md:1/)
})

test('what the page shows must be shown, in its order', async () => {
  const said = block('sh test', 'echo one; echo two')
  await read('shown', [said, block('text shows', 'one\ntwo')])
  await assert.rejects(read('other', [said, block('text shows', 'three')]), /expected the line\nthree/)
  await assert.rejects(read('order', [said, block('text shows', 'two\none')]), /expected the line\none/)
})

test('a block of sh that nobody marked, a mark that there is not, and a page with nothing to follow are faults', async () => {
  await assert.rejects(read('unmarked', [block('sh', 'true')]), /line 1: expected ```sh test or ```sh elsewhere/)
  await assert.rejects(read('misspelt', [block('sh tset', 'true')]), /got tset/)
  await assert.rejects(read('empty', [block('text', 'nothing')]), /expected blocks that a test follows/)
})

test('what does not stay is not taken for started', async () => {
  await assert.rejects(read('gone', [block('sh test starts', 'echo no; exit 78')]), /gone\.md:1 ended:\nno/)
})
