// The pages of the site are those of docs, with links that stay inside of it.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { assemblePages } from '../src/pages.ts'
import { readSidebar } from '../src/sidebar.ts'

const plant = (t: TestContext, files: Readonly<Record<string, string>>): string => {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-site-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

test('links inside the site are kept, links to other files become text, and code is not changed', (t) => {
  const root = plant(t, {
    'README.md':
      '# Home\n[docs](docs/a.md) [security](SECURITY.md) [license](LICENSE) ![p](docs/p.svg)\n<picture><img alt="x" src="docs/p.svg"></picture>\n',
    'SECURITY.md': '# Security\n[a](docs/a.md#x)\n',
    'docs/a.md': '# A\n[b](how-to/b.md#part) [code](../src/x.ts) [home](../README.md) [web](https://example.org) `[c](gone.md)`\n',
    'docs/how-to/b.md': '# B\n```md\n[in](code.md)\n```\n[a](../a.md) [s](../../SECURITY.md)\n',
    'docs/p.svg': '<svg/>',
  })
  assemblePages(root, join(root, 'out'))
  const read = (path: string): string => readFileSync(join(root, 'out', path), 'utf8')
  assert.equal(
    read('index.md'),
    '# Home\n[docs](./a.md) [security](./security.md) license ![p](./p.svg)\n<picture><img alt="x" src="./p.svg"></picture>\n',
  )
  assert.equal(read('security.md'), '# Security\n[a](./a.md#x)\n')
  assert.equal(read('a.md'), '# A\n[b](./how-to/b.md#part) code [home](./index.md) [web](https://example.org) `[c](gone.md)`\n')
  assert.equal(read('how-to/b.md'), '# B\n```md\n[in](code.md)\n```\n[a](../a.md) [s](../security.md)\n')
})

test('the navigation has the sections of the index, with the titles of their pages', (t) => {
  const root = plant(t, {
    'docs/README.md': '## Tutorials\n[x](a.md)\n## How-to guides\n[y](b.md) [y](b.md)\n## Reference\n## Explanation\n## Tests\n[x](a.md)\n',
    'docs/a.md': '# The `a` page\n',
    'docs/b.md': '# B\n',
  })
  assert.deepEqual(readSidebar(root), [
    { text: 'Tutorials', items: [{ text: 'The a page', link: '/a' }] },
    { text: 'How-to guides', items: [{ text: 'B', link: '/b' }] },
    { text: 'Reference', items: [] },
    { text: 'Explanation', items: [] },
  ])
})

test('an index without one of the sections is refused', (t) => {
  const root = plant(t, { 'docs/README.md': '## Tutorials\n## Reference\n' })
  assert.throws(() => readSidebar(root), /section "How-to guides" not found/)
})
