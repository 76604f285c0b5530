// Markdown of agents as a tree: what it knows, what stays text, and that no text takes long.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@gatehouse/testkit/random'
import { type Block, type Inline, parseMarkdown } from '../../src/components/markdown/parse.ts'

const inline = (node: Inline): string => {
  switch (node.type) {
    case 'text':
      return node.text
    case 'code':
      return `<code>${node.text}</code>`
    case 'break':
      return '<br>'
    case 'link':
      return `<a ${node.href}>${node.children.map(inline).join('')}</a>`
    default:
      return `<${node.type}>${node.children.map(inline).join('')}</${node.type}>`
  }
}
const line = (nodes: readonly Inline[]): string => nodes.map(inline).join('')
const drawn = (blocks: readonly Block[]): string => blocks.map(block).join('')
const block = (one: Block): string => {
  switch (one.type) {
    case 'paragraph':
      return `<p>${line(one.children)}</p>`
    case 'heading':
      return `<h${one.level}>${line(one.children)}</h>`
    case 'code':
      return `<pre ${one.language}>${one.text}</pre>`
    case 'quote':
      return `<quote>${drawn(one.children)}</quote>`
    case 'list':
      return `<list ${one.start ?? '-'}>${one.items.map((item) => `<li>${drawn(item)}</li>`).join('')}</list>`
    case 'table':
      return `<table>${[one.head, ...one.rows].map((row) => row.map(line).join('|')).join('/')}</table>`
    case 'rule':
      return '<hr>'
  }
}
const shown = (text: string): string => drawn(parseMarkdown(text))

test('knows what agents write', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['one\ntwo\n\nthree', '<p>one<br>two</p><p>three</p>'],
    ['# Title\ntext', '<h1>Title</h><p>text</p>'],
    [
      'a **bold** and *slanted* `x * y` ~~gone~~',
      '<p>a <strong>bold</strong> and <emphasis>slanted</emphasis> <code>x * y</code> <deleted>gone</deleted></p>',
    ],
    ['**a *b* c**', '<p><strong>a <emphasis>b</emphasis> c</strong></p>'],
    [
      '- a\n- b\n  - c\n\n1. d\n2. e',
      '<list -><li><p>a</p></li><li><p>b</p><list -><li><p>c</p></li></list></li></list><list 1><li><p>d</p></li><li><p>e</p></li></list>',
    ],
    ['> said\n> - so', '<quote><p>said</p><list -><li><p>so</p></li></list></quote>'],
    ['```ts\nconst a = `b`\n```\nend', '<pre ts>const a = `b`</pre><p>end</p>'],
    ['~~~\nopen', '<pre >open</pre>'],
    ['| a | b |\n|---|:-:|\n| 1 | **2** |', '<table>a|b/1|<strong>2</strong></table>'],
    ['---', '<hr>'],
    [
      'see [the page](https://example.com/a) or https://example.com/b.',
      '<p>see <a https://example.com/a>the page</a> or <a https://example.com/b>https://example.com/b</a>.</p>',
    ],
  ]
  for (const [text, expected] of cases) assert.equal(shown(text), expected, text)
})

test('what is no Markdown stays as it was written', () => {
  for (const text of [
    '2 * 3 * 4',
    'a_b_c and snake_case',
    '<img src=x onerror=alert(1)>',
    '**not closed',
    '`',
    '[x](y',
    '5 < 6 | 7',
    '#tag',
    '1.5 is less',
  ])
    assert.equal(shown(text), `<p>${text}</p>`)
})

test('only addresses of the web and of mail become links', () => {
  for (const href of ['javascript:alert(1)', 'data:text/html,x', '/ui/settings', 'file:///etc/passwd', ' JavaScript:x'])
    assert.ok(!shown(`[x](${href})`).includes('<a '), href)
  assert.equal(shown('![x](https://example.com/p.png)'), '<p><a https://example.com/p.png>x</a></p>')
})

/** All text of a tree. */
const textOf = (blocks: readonly Block[]): string => shownText(JSON.stringify(blocks))
const shownText = (json: string): string => json.replaceAll(/[^A-Za-z]/g, '')

test('no letter of a text is lost', () => {
  const piece = fc.constantFrom(
    '*',
    '**',
    '_',
    '`',
    '```',
    '~~',
    '[',
    '](',
    ')',
    '\n',
    '\n\n',
    '- ',
    '> ',
    '# ',
    '|',
    '---',
    '  ',
    '\\',
    '1. ',
    'a',
    'Z',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join('')
      const count = (letter: string, all: string): number => all.split(letter).length - 1
      // The language of a fenced block may be cut; nothing else may.
      if (text.includes('```')) return
      assert.ok(count('Z', textOf(parseMarkdown(text))) >= count('Z', text), JSON.stringify(text))
    }),
  )
})

test('text made to be slow is read in the time that its length takes', () => {
  const size = 65_536
  for (const piece of [
    '*a ',
    '**a',
    '[',
    '[a](',
    '`',
    '``` ',
    '```\n',
    '> ',
    '- ',
    '_a_',
    '|-',
    '| - |\n',
    ' ',
    '~~',
    '*',
    '\\',
    'http://',
    '![',
    '1. a\n   ',
    '`a``',
  ]) {
    for (const end of ['', '`', '\nx']) parseMarkdown(piece.repeat(Math.ceil(size / piece.length)) + end)
  }
})
