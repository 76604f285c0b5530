// What the pages tell people to type is there: commands and flags of svcctl and gatehouse. Pages that are followed word for word say more.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { createJudge } from '../src/typed.ts'

const root = join(import.meta.dirname, '../../..')

let judge: Awaited<ReturnType<typeof createJudge>>
before(async () => {
  judge = await createJudge()
})

test('every command and flag that a page names is one that there is', () => {
  const pages = globSync(['*.md', '{docs,deploy,charts,compose}/**/*.md', '{apps,packages,tooling}/*/*.md'], { cwd: root })
  assert.deepEqual(
    pages.flatMap((path) => judge(path, readFileSync(join(root, path), 'utf8'))),
    [],
  )
})

test('a command and a flag that there are not are found, in blocks and in lines', () => {
  const page = [
    'Type `svcctl change aprove ID` or `svcctl status --quick`, or `gatehouse --fast`; `svcctl change` alone is a topic.',
    '```sh test',
    'change=$(svcctl change submit persona --group dev-agent --text x)',
    'npx pnpm@12 svcctl token crate x   # --not-a-flag',
    'svcctl --token-file there status',
    'gatehouse keys turn',
    '```',
    '```text',
    'svcctl nothing',
    '```',
  ].join('\n')
  assert.deepEqual(
    judge('page.md', page).map((line) => line.split(': ').at(-1)),
    [
      'there is no command token crate',
      'gatehouse has no command keys',
      'there is no command change aprove',
      'status has no flag --quick',
      'gatehouse has no flag --fast',
    ],
  )
})
