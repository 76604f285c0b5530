// What an agent wrote, laid out for a Slack of our own: it takes each layout, and nothing in one is more than text or an honest link.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { silentLogger } from '@gatehouse/kernel'
import { fc } from '@gatehouse/testkit/random'
import { markupBlocks } from '../../src/slack/markup.ts'
import { createSlack } from '../../src/slack/slack.ts'
import { outgoing, way } from '../fixtures/listener.ts'
import { assertAllSeen, hostile, isHonest, partsOf, randomText, wordsOf } from '../fixtures/markup.ts'
import { type Block, isTooLong, piecesOf, readBlocks, readBlocksText } from '@gatehouse/testkit/slack-blocks'
import { place, type SlackServer, startSlack } from '@gatehouse/testkit/slack-server'

let server: SlackServer
let channel: ReturnType<typeof createSlack>

before(async () => {
  server = await startSlack()
  channel = createSlack({
    credentials: { botToken: server.tokens.bot, appToken: server.tokens.app, url: server.url },
    ...way,
    log: silentLogger,
  })
})
after(async () => {
  await channel.close()
  await server.close()
})

const to = { address: place, thread: '1699999999.000001', reference: {} }

/** As it is delivered. Answers with the forms that were posted. */
const say = async (text: string) => {
  const from = server.posted.length
  for (const part of partsOf(text, channel.can.length))
    await channel.send(outgoing(to, part.text, { format: 'markdown', ...part }), new AbortController().signal)
  return server.posted.slice(from)
}

const layoutOf = ({ blocks }: Readonly<Record<string, string>>): Block[] => readBlocks(blocks) ?? assert.fail('Slack would not take it')

/** Whatever of it is more than text, and no link to what it shows. */
const dangers = (blocks: readonly Block[]): string[] =>
  piecesOf(blocks).flatMap((piece) => {
    if (piece.type === 'text') return []
    return piece.type === 'link' && isHonest(piece.text ?? piece.url, piece.url) ? [] : [JSON.stringify(piece)]
  })

test('headings, lists, quotations, code and tables are elements of their own', async () => {
  const text = '# Plan\n\nDo **this**:\n\n1. one\n   - deep\n2. two\n\n> said *so*\n\n```\na < b\n```\n\n| a | bb |\n|---|---|\n| 1 | 2 |'
  const [posted = assert.fail()] = await say(text)
  const plain = (one: string, style?: object) => ({ type: 'text', text: one, ...(style && { style }) })
  const section = (...elements: object[]) => ({ type: 'rich_text_section', elements })
  const list = (style: string, indent: number, item: string) => ({
    type: 'rich_text_list',
    style,
    indent,
    elements: [section(plain(item))],
  })
  assert.deepEqual(layoutOf(posted), [
    {
      type: 'rich_text',
      elements: [
        section(plain('Plan', { bold: true }), plain('\n\n'), plain('Do '), plain('this', { bold: true }), plain(':')),
        list('ordered', 0, 'one'),
        list('bullet', 1, 'deep'),
        { ...list('ordered', 0, 'two'), offset: 1 },
        { type: 'rich_text_quote', elements: [plain('said '), plain('so', { italic: true })] },
        { type: 'rich_text_preformatted', elements: [plain('a < b')] },
        { type: 'rich_text_preformatted', elements: [plain('a | bb\n1 | 2')] },
      ],
    },
  ])
  const { text: words, mrkdwn, parse, unfurl_links, unfurl_media } = posted
  assert.deepEqual([words, mrkdwn, parse], [text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'), 'false', 'none'])
  assert.deepEqual([unfurl_links, unfurl_media], ['false', 'false'])
})

test('what has no markup goes out as it stands', async () => {
  const [posted = assert.fail()] = await say('good morning, <@U0000ANN1>')
  assert.deepEqual([posted['blocks'], posted.text], [undefined, 'good morning, &lt;@U0000ANN1&gt;'])
})

test('hostile texts call nobody and hide nothing', async () => {
  for (const { text, seen } of hostile) {
    const [posted = assert.fail()] = await say(text)
    assert.deepEqual(dangers(layoutOf(posted)), [], text)
    assert.ok(readBlocksText(layoutOf(posted)).includes(seen), `${text}\n${readBlocksText(layoutOf(posted))}`)
    assert.doesNotMatch(posted.text, /[<>]/)
  }
})

test('a layout that was less careful would be noticed', () => {
  const blocks = (element: object) =>
    readBlocks(JSON.stringify([{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [element] }] }]))
  const careless = [
    { type: 'link', url: 'https://evil.example/', text: 'https://bank.example' },
    { type: 'user', user_id: 'U0000ANN1' },
  ]
  for (const element of careless) assert.equal(dangers(blocks(element) ?? []).length, 1)
  assert.equal(blocks({ type: 'text', text: 'x'.repeat(3_001) }), undefined)
  assert.equal(blocks({ type: 'broadcast', range: 'channel' }), undefined)
})

test('a layout that Slack does not take is left out, and the words go out', async () => {
  for (const code of ['invalid_blocks', 'msg_blocks_too_long']) {
    server.fail('chat.postMessage', code)
    const posted = await say(`**${code}**`)
    assert.deepEqual(
      posted.map(({ text, blocks }) => [text, blocks]),
      [[`**${code}**`, undefined]],
    )
  }
})

test('a long text goes out in parts that Slack takes, each with its own layout', async () => {
  const code = Array.from({ length: 300 }, (_, line) => `w${line}w and some more of this line`).join('\n')
  const posted = await say(`**Look**\n\n\`\`\`\n${code}\n\`\`\`\n\n*end*`)
  assert.equal(posted.length, 3)
  for (const form of posted) assert.ok(layoutOf(form)[0]?.type === 'rich_text' && !readBlocksText(layoutOf(form)).includes('`'))
  assertAllSeen(code, posted.map((form) => readBlocksText(layoutOf(form))).join('\n'))
})

test('a part that grows beyond what Slack takes, or into too many pieces, goes out as it was written, at once', async () => {
  const wide = `| ${'a'.repeat(39)} | b |\n|---|---|\n${'| x | y |\n'.repeat(380)}`
  for (const text of [wide.trimEnd(), '*a* '.repeat(900).trimEnd()]) {
    const calls = server.calls('chat.postMessage')
    const posted = await say(text)
    assert.deepEqual(
      posted.map((form) => [form.text, form['blocks']]),
      [[text, undefined]],
    )
    assert.equal(server.calls('chat.postMessage'), calls + 1)
  }
})

test('whatever the text: Slack takes its layout, and every word is seen once', () => {
  fc.assert(
    fc.property(randomText, (text) => {
      const [{ blocks = [] } = {}] = partsOf(text, 4_000)
      const layout = markupBlocks(blocks)
      const read = readBlocks(JSON.stringify(layout)) ?? assert.fail(JSON.stringify(layout))
      assert.ok(!isTooLong(read))
      assert.deepEqual(dangers(read), [])
      if (layout !== undefined) assertAllSeen(text, readBlocksText(read))
      else assert.deepEqual(blocks.length === 0 ? [] : wordsOf(text), [])
    }),
    { numRuns: 300 },
  )
})
