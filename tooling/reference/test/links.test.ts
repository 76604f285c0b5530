// Every relative link of every page leads to a file and a heading that are there.
import assert from 'node:assert/strict'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { brokenLinks } from '../src/links.ts'

const root = join(import.meta.dirname, '../../..')

test('no link of a page leads nowhere', () => {
  const pages = globSync(['*.md', '{docs,deploy,charts,compose}/**/*.md', '{apps,packages,tooling}/*/*.md'], { cwd: root })
  assert.ok(pages.includes('README.md') && pages.includes('docs/explanation/deciding.md'), pages.join(', '))
  assert.deepEqual(brokenLinks(root, pages), [])
})

test('a file, a heading and a way out of the repository that there are not are found, and what is in code is not', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-links-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'docs'))
  writeFileSync(join(folder, 'docs/good.md'), '# One `two`, three\n\n## Twice\n\n## Twice\n\n```sh\n# no heading\n```\n')
  writeFileSync(
    join(folder, 'page.md'),
    [
      '# Here',
      '[a](docs/good.md) [b](docs/good.md#one-two-three) [c](#here) [d](docs) [e](docs/good.md#twice-1) [f](https://example.org/x)',
      '```sh\n[in code](nowhere.md)\n```\n`[in](code.md)`',
      '[g](docs/bad.md) [h](docs/good.md#no-heading) [i](#there) [j](../out.md)',
      '[k]: docs/gone.md',
      '<picture><source media="x" srcset="docs/dark.svg"><img alt="y" src="docs/light.svg"></picture>',
    ].join('\n'),
  )
  assert.deepEqual(brokenLinks(folder, ['page.md']), [
    'page.md: docs/bad.md: there is no such file',
    'page.md: docs/good.md#no-heading: the page has no such heading',
    'page.md: #there: the page has no such heading',
    'page.md: ../out.md: leads out of the repository',
    'page.md: docs/gone.md: there is no such file',
    'page.md: docs/dark.svg: there is no such file',
    'page.md: docs/light.svg: there is no such file',
  ])
})
