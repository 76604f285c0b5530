// The reader of the documents itself: what a page gets wrong is found, and named by its line.
import assert from 'node:assert/strict'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { follow, type Reading } from '../../src/documents/follow.ts'
import { freshDirectory, root } from '../../src/unit.ts'

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

const read = async (name: string, blocks: readonly Block[], reading: Reading = {}): Promise<void> => {
  const page = join(folder, `${name}.md`)
  await writeFile(page, blocks.map(({ marks, text }) => `\`\`\`${marks}\n${text}\n\`\`\`\n`).join('\nWords.\n\n'))
  await follow(page, reading)
}

test('variables, the directory and files that were saved are there for the next block', () =>
  read(
    'kept',
    [
      block('json test file=entry.json', '{ "a": 1 }'),
      block('sh test', 'word=kept\nmkdir below && cd below'),
      block('sh test', 'echo "$word here"; cat ../entry.json; pwd'),
      block('text shows', 'kept   here\n{ "a": 1 }\n…/below'),
      block('sh elsewhere', 'exit 1'),
      block('text', 'nobody looks at this'),
    ],
    { notRun: { 'exit 1': 'a machine that there is not' } },
  ))

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
  await assert.rejects(read('nameless', [block('', 'true')]), /line 1: expected a language/)
  await assert.rejects(read('empty', [block('text', 'nothing')]), /expected blocks that a test follows/)
})

test('a block that is not followed has a reason, and a reason has a block', async () => {
  const blocks = [block('sh test', 'true'), block('sh elsewhere', 'exit 1')]
  await assert.rejects(read('unexplained', blocks), /unexplained\.md:7: expected a reason why this is not followed/)
  const stale = { 'exit 1': 'not here', 'exit 2': 'there is no such line' }
  await assert.rejects(read('stale', blocks, { notRun: stale }), /expected a block with exit 2/)
  await read('left', [block('sh test', 'exit 1'), ...blocks], { notRun: { 'exit 1': 'it would end the terminal' } })
})

test('a block in a list is read, too', () =>
  assert.rejects(
    read('list', [
      block('sh test', 'true\n```\n\n1. Then:\n\n   ```sh test\n   cat <<X\n   wrong\n   X\n   false\n   ```\n\n```sh test\ntrue'),
    ]),
    /list\.md:7:\ncat <<X\nwrong\nX/,
  ))

test('each how-to is followed by the test that the index names', async () => {
  const index = await readFile(join(root, 'docs/README.md'), 'utf8')
  const rows = new Map(
    [...index.matchAll(/^\| \[[\w-]+\]\((how-to\/[\w-]+\.md)\) \| \[\w+\]\(\.\.\/(\S+\.test\.ts)\) \|/gm)].map(
      ([, page = '', file = '']) => [page, file],
    ),
  )
  const pages = (await readdir(join(root, 'docs/how-to'))).map((name) => `how-to/${name}`)
  assert.deepEqual([...rows.keys()].toSorted(), pages.toSorted())
  for (const [page, file] of rows)
    assert.ok((await readFile(join(root, file), 'utf8')).includes(`'docs/${page}'`), `${file} does not name docs/${page}`)
})

test('what does not stay is not taken for started', async () => {
  await assert.rejects(read('gone', [block('sh test starts', 'echo no; exit 78')]), /gone\.md:1 ended:\nno/)
})
