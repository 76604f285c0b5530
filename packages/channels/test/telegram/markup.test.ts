// What an agent wrote, laid out for a Bot API of our own: it takes all entities, which call nobody and hide nothing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { silentLogger } from '@gatehouse/kernel'
import { fc } from '@gatehouse/testkit/random'
import { markupText, plainText } from '../../src/telegram/markup.ts'
import { createTelegram } from '../../src/telegram/telegram.ts'
import { outgoing, way } from '../fixtures/listener.ts'
import { assertAllSeen, hostile, isHonest, partsOf, randomText, wordsOf } from '../fixtures/markup.ts'
import { type Entity, entityFault, findIn, mostEntities } from '@gatehouse/testkit/telegram-entities'
import { group, startTelegram, type TelegramServer } from '@gatehouse/testkit/telegram-server'

let server: TelegramServer
let channel: ReturnType<typeof createTelegram>

before(async () => {
  server = await startTelegram()
  server.telegram.chats.add(String(group.id))
  channel = createTelegram({ credentials: { token: server.token, url: server.url }, ...way, log: silentLogger })
})
after(async () => {
  await channel.close()
  await server.close()
})

const to = { address: String(group.id), thread: undefined, reference: { message: 1, private: false } }

/** As it is delivered. Answers with what stands there. */
const say = async (text: string) => {
  const from = server.standing().length
  for (const part of partsOf(text, channel.can.length))
    await channel.send(outgoing(to, part.text, { format: 'markdown', ...part }), new AbortController().signal)
  return server.standing().slice(from)
}

interface Shown {
  readonly text: string
  readonly entities?: readonly Entity[]
}

const marked = ({ text, entities = [] }: Shown): [string, string][] =>
  entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)])

/** Links that hide where they lead, and names that are called. */
const dangers = ({ text, entities = [] }: Shown): string[] => [
  ...entities
    .filter(({ url, offset, length }) => url !== undefined && !isHonest(text.slice(offset, offset + length), url))
    .map(({ type }) => type),
  ...findIn(text, entities).filter((found) => found.startsWith('@')),
]

test('headings, lists, quotations, code and tables are text with entities', async () => {
  const text =
    '# Plan 😀\n\nDo **this**:\n\n1. one\n   - deep\n2. two\n\n> said *so*\n\n```js\na < b\n```\n\n| a | bb |\n|---|---|\n| 1 | 2 |'
  const [shown = assert.fail()] = await say(text)
  assert.equal(shown.text, 'Plan 😀\n\nDo this:\n\n1. one\n   • deep\n2. two\n\nsaid so\n\na < b\n\na | bb\n1 | 2')
  assert.deepEqual(marked(shown), [
    ['bold', 'Plan 😀'],
    ['bold', 'this'],
    ['blockquote', 'said so'],
    ['italic', 'so'],
    ['pre', 'a < b'],
    ['pre', 'a | bb\n1 | 2'],
  ])
  assert.deepEqual([shown['parse_mode'], shown['link_preview_options']], [undefined, { is_disabled: true }])
})

test('hostile texts call nobody and hide nothing', async () => {
  for (const { text, seen } of hostile) {
    const [shown = assert.fail()] = await say(text)
    assert.deepEqual(dangers(shown), [], text)
    assert.ok(shown.text.includes(seen), `${text}\n${shown.text}`)
  }
})

test('a name is code in whatever it stands, and calls nobody', async () => {
  const cases: [string, [string, string][]][] = [
    ['hello @ann_lee', [['code', '@ann_lee']]],
    [
      '**to @ann_lee now**',
      [
        ['bold', 'to '],
        ['code', '@ann_lee'],
        ['bold', ' now'],
      ],
    ],
    [
      '@**ann**_lee *x*',
      [
        ['code', '@ann_lee'],
        ['italic', 'x'],
      ],
    ],
    ['`@ann_lee` and ann@x.example', [['code', '@ann_lee']]],
    ['https://x.example/@ann_lee', [['text_link', 'https://x.example/@ann_lee']]],
  ]
  for (const [text, expected] of cases) {
    const [shown = assert.fail()] = await say(text)
    assert.deepEqual(marked(shown), expected, text)
    assert.deepEqual(dangers(shown), [])
  }
})

test('more names, or styles, than Telegram takes entities: still nobody is called', async () => {
  const many = (unit: (index: number) => string): string => Array.from({ length: 150 }, (_, index) => unit(index)).join(' ')
  for (const text of [many((index) => `@name_${index}`), many((index) => `**@name_${index}**`), many((index) => `**w** @n${index % 9}x`)]) {
    const [shown = assert.fail()] = await say(text)
    assert.deepEqual(
      findIn(shown.text, shown.entities?.slice(0, mostEntities)).filter((found) => found.startsWith('@')),
      [],
    )
  }
  const [bold = assert.fail()] = await say(`${many(() => '**w** x')} @ann_lee`)
  assert.deepEqual(marked(bold), [['code', '@ann_lee']])
})

test('a layout that was less careful would be noticed', () => {
  const text = 'https://bank.example and @ann_lee'
  assert.deepEqual(dangers({ text }), ['@ann_lee'])
  assert.deepEqual(dangers({ text: 'here', entities: [{ type: 'text_link', offset: 0, length: 4, url: 'https://evil.example/' }] }), [
    'text_link',
  ])
  const wrong: [string, Entity][] = [
    ['ends after', { type: 'bold', offset: 0, length: 9 }],
    ['in a middle', { type: 'bold', offset: 1, length: 1 }],
    ['incorrect length', { type: 'bold', offset: 0, length: 0 }],
    ['Wrong HTTP URL', { type: 'text_link', offset: 0, length: 2, url: 'http://localhost/' }],
  ]
  for (const [fault, entity] of wrong) assert.match(entityFault('😀', [entity]) ?? '', new RegExp(fault))
  const overlapping = [
    { type: 'bold', offset: 0, length: 3 },
    { type: 'code', offset: 1, length: 1 },
  ]
  assert.equal(entityFault('abc', overlapping), 'entities overlap')
})

test('a layout that Telegram does not take is left out, and the words go out', async () => {
  server.fail('sendMessage', { error_code: 400, description: "Bad Request: entity URL 'https://x.y' is invalid: Wrong HTTP URL" })
  const [shown = assert.fail()] = await say('**see** https://x.y and http://localhost/z')
  assert.deepEqual([shown.text, shown.entities], ['**see** https://x.y and http://localhost/z', undefined])
  const [whole = assert.fail()] = await say('**see** http://localhost/z')
  assert.deepEqual(marked(whole), [['bold', 'see']])
})

test('a long text goes out in parts that Telegram takes; one that grows beyond it goes out as it was written', async () => {
  const code = Array.from({ length: 300 }, (_, line) => `w${line}w and some more of this line`).join('\n')
  const shown = await say(`**Look**\n\n\`\`\`\n${code}\n\`\`\`\n\n*end*`)
  assert.ok(
    shown.length >= 3 && shown.every(({ text, entities = [] }) => !text.includes('`') && entities.some(({ type }) => type === 'pre')),
  )
  assertAllSeen(code, shown.map(({ text }) => text).join('\n'))
  const wide = `| ${'a'.repeat(39)} | b |\n|---|---|\n${'| x | y |\n'.repeat(300)}`
  assert.deepEqual(
    (await say(wide)).map(({ text }) => text),
    [wide.trimEnd()],
  )
})

test('whatever the text: Telegram takes its entities, nobody is called, and every word is seen once', () => {
  fc.assert(
    fc.property(randomText, (text) => {
      const [{ blocks = [] } = {}] = partsOf(text, 4_096)
      const layout = markupText(blocks)
      const shown = layout ?? plainText(text)
      assert.equal(entityFault(shown.text, shown.entities as Entity[]), undefined, JSON.stringify(shown))
      assert.ok(shown.text.isWellFormed())
      assert.deepEqual(dangers(shown as Shown), [])
      if (layout !== undefined) assertAllSeen(text, layout.text)
      else assert.deepEqual(blocks.length === 0 ? [] : wordsOf(text), [])
    }),
    { numRuns: 300 },
  )
})
