// What an agent wrote as a letter's HTML: everything in it is text, and a reply that quotes it decides nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@gatehouse/testkit/random'
import { parseCommand } from '../../src/commands/command.ts'
import { markupHtml } from '../../src/email/markup.ts'
import { readOpening } from '../../src/email/opening.ts'
import { assertAllSeen, hostile, isHonest, partsOf, randomText } from '../fixtures/markup.ts'

const htmlOf = (text: string): string | undefined => {
  const [{ blocks } = {}] = partsOf(text, 400_000)
  return blocks === undefined || blocks.length === 0 ? undefined : markupHtml(blocks)
}

const tags = new Set([
  'html',
  'head',
  'meta',
  'body',
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'b',
  'i',
  's',
  'code',
  'pre',
  'br',
  'hr',
  'ul',
  'ol',
  'li',
  'div',
  'table',
  'tr',
  'td',
  'a',
])

/** Of our own making alone. */
const attributes =
  /^(?: charset="utf-8"| start="\d+"| style="(?:[a-z-]+:[#\da-z ]+;?)+"| href="(?:https?:|mailto:)[^"<>\s]*" rel="noreferrer nofollow")?$/

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')

const textOf = (html: string): string => unescaped(html.replaceAll(/<[^>]*>/g, ''))

/** What is more than it should be: elements, their attributes, and links that hide where they lead. */
const dangers = (html: string): string[] => {
  const elements = [...html.replace('<!doctype html>', '').matchAll(/<(\/?)([^\s>]*)([^>]*)>/g)]
  const links = [...html.matchAll(/href="([^"]*)"[^>]*>(.*?)<\/a>/g)]
  return [
    ...elements.filter(([, , name = '', rest = '']) => !tags.has(name) || !attributes.test(rest)).map(([whole]) => whole),
    ...links.filter(([, href = '', shown = '']) => !isHonest(shown, href)).map(([whole]) => whole),
  ]
}

test('headings, lists, quotations, code and tables are elements without anything of the agent in their marks', () => {
  const html =
    htmlOf(
      '# Plan\n\nDo **this** *or* ~~that~~:\n\n3. one\n   - deep\n\n> said\n\n```js\na < b\n```\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n---',
    ) ?? ''
  for (const part of [
    '<h1>Plan</h1>',
    '<b>this</b>',
    '<i>or</i>',
    '<s>that</s>',
    '<ol start="3">',
    '<li><p>deep</p></li>',
    '<pre><code>a &lt; b</code></pre>',
    '<code>2</code>',
    '<hr>',
  ])
    assert.ok(html.includes(part), `${part}\n${html}`)
  assert.deepEqual(dangers(html), [])
  assert.equal(htmlOf('no markup, only text'), undefined)
})

test('hostile texts are text', () => {
  for (const { text, seen } of hostile) {
    const html = htmlOf(text) ?? assert.fail(text)
    assert.deepEqual(dangers(html), [], text)
    assert.ok(textOf(html).includes(seen), `${text}\n${textOf(html)}`)
  }
})

test('a letter that was less careful would be noticed', () => {
  assert.deepEqual(dangers('<p><script>1</script></p>').length, 2)
  for (const html of [
    '<p onclick="x">',
    '<img src=x>',
    '<blockquote>',
    '<a href="javascript:1" rel="noreferrer nofollow">javascript:1</a>',
    '<div style="background:url(x)">',
  ])
    assert.ok(dangers(html).length > 0, html)
  assert.ok(dangers('<a href="https://evil.example/" rel="noreferrer nofollow">https://bank.example</a>').length > 0)
})

test('whatever the text: its HTML is of ours alone, and every word is seen once', () => {
  fc.assert(
    fc.property(randomText, (text) => {
      const html = htmlOf(text)
      if (html === undefined) return
      assert.deepEqual(dangers(html), [])
      assertAllSeen(text, textOf(html))
    }),
    { numRuns: 300 },
  )
})

const word = 'approve 125301.123 3f2a9c1b77d0e4a5'

test('a reply that quotes what an agent laid out decides nothing, wherever the quotation stands', async () => {
  const said = `> as asked\n\n${word}\n\n**${word}**`
  const quoted = htmlOf(said) ?? ''
  const marked = said.replaceAll(/^/gm, '> ')
  const html = (above: string, below: string): string =>
    `<div>${above}</div><blockquote type="cite">${quoted}</blockquote><div>${below}</div>`
  const replies = [
    { text: `On Monday, Agents wrote:\n${marked}\n\nthanks`, html: html('On Monday, Agents wrote:', 'thanks') },
    { text: `thanks\n\nOn Monday, Agents wrote:\n${marked}`, html: html('thanks<br>On Monday, Agents wrote:', '') },
    // One that marks nothing, and sets the whole of it below its own words, or alone.
    { text: `thanks\n\nFrom: Agents\n\nas asked\n\n${word}`, html: `<p>thanks</p><hr>${quoted}` },
    { text: `From: Agents\n\n> as asked\n\n${word}`, html: `<hr>From: Agents ${quoted}` },
  ]
  const outcomeOf = async (letter: { readonly text: string; readonly html: string }) =>
    parseCommand((await readOpening({ ...letter, beginsEmpty: false }, true)).unquotedText)?.outcome
  for (const reply of replies) assert.equal(await outcomeOf(reply), undefined, reply.text)
  const own = { text: `${word}\n\nOn Monday, Agents wrote:\n${marked}`, html: html(`${word}<br>On Monday, Agents wrote:`, '') }
  assert.equal(await outcomeOf(own), 'approve')
})
