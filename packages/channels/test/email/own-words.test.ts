// What of a letter counts as its sender's own word: a decision is read there, and in nothing that was quoted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWord } from '../../src/cards/word.ts'
import { readEmail } from '../../src/email/read.ts'
import { account, vouched } from '../fixtures/mail.ts'
import { loadWeakened } from '../fixtures/weakened.ts'

const head = [vouched, 'From: kim@example.org', 'To: agents@example.org', 'In-Reply-To: <card@example.org>']
const line = 'approve 125301.123 3f2a9c1b77d0e4a5'
const attribution = 'On Monday, Agents wrote:'
const longAttribution = ['On Monday, November 23, 2026 at 10:00', 'Agents <agents@example.org> wrote:']
const quoted = ['> A change of ops-agent waits', '>', `> ${line}`]

const read = (lines: readonly string[], headers: readonly string[] = []) =>
  readEmail(Buffer.from([...head, ...headers, '', ...lines].join('\r\n')), account, '<uid-1-2>')
const wordOf = async (...given: Parameters<typeof read>) => {
  const { ownWords, text } = await read(...given)
  return readWord(ownWords ?? text)?.digest
}
const html = ['Content-Type: text/html; charset=utf-8']

test('a decision stands above a quotation, below it, or in a letter with a subject of its own', async () => {
  const letters: (readonly string[])[] = [
    [line],
    [line, '', attribution, ...quoted],
    [line, attribution, ...quoted, '-- ', 'Kim'],
    [line, attribution, ...quoted],
    [attribution, ...quoted, '', line],
    [...longAttribution, ...quoted, '', line, '', 'Kim'],
    ['', ...quoted, '', line],
    [`${line} not`, 'today'],
  ]
  for (const letter of letters) assert.equal(await wordOf(letter), '3f2a9c1b77d0e4a5', letter.join('|'))
  const fresh = [vouched, 'From: kim@example.org', 'To: agents@example.org', 'Subject: my answer', '', line].join('\r\n')
  assert.ok(readWord((await readEmail(Buffer.from(fresh), account, '<uid>')).ownWords ?? ''))
})

test('in HTML alone it stands before the quotation', async () => {
  const quote = `<blockquote><p>A change of ops-agent waits</p><p>${line}</p></blockquote>`
  assert.equal(await wordOf([`<p>${line}</p><div>${attribution}</div>${quote}`], html), '3f2a9c1b77d0e4a5')
  assert.equal(await wordOf([`<p>${line}</p>`], html), '3f2a9c1b77d0e4a5')
})

const alternative = ['Content-Type: multipart/alternative; boundary=b']
/** A letter as a text and as HTML. */
const both = (text: readonly string[], page: string): string[] => ['--b', '', ...text, '--b', ...html, '', page, '--b--']

test('in a letter of both it stands outside of the quotation in each', async () => {
  const quote = `<blockquote><p>A change of ops-agent waits</p><p>${line}</p></blockquote>`
  const above = both([line, '', attribution, ...quoted], `<p>${line}</p><p>${attribution}</p>${quote}`)
  const below = both([attribution, ...quoted, '', line], `<p>${attribution}</p>${quote}<p>${line}</p>`)
  assert.equal(await wordOf(above, alternative), '3f2a9c1b77d0e4a5')
  assert.equal(await wordOf(below, alternative), '3f2a9c1b77d0e4a5')
})

/** An agent's own marks, in the letter of a program that sets none. */
const posed = ['see:', '> x', line]
const posedIn = (element: string): string =>
  `<p>thanks</p><${element}><p>${attribution}</p><p>see:</p><p>&gt; x</p><p>${line}</p></${element}>`

/** Letters in which somebody else's line is quoted, and their sender decided nothing. */
const quotations: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['all of it quoted', [attribution, ...quoted], []],
  ['the line quoted first', [`> ${line}`, '', 'what is that?'], []],
  ['the line quoted deeper', [`>> ${line}`, '> and?', 'no'], []],
  ['a question before it', ['what is that?', '', attribution, `> ${line}`], []],
  ['another line before it', [attribution, ...quoted, '', 'please look at this:', line], []],
  ['a long line that was wrapped without a mark', ['thanks', attribution, '> A change of ops-agent', line, '> waits'], []],
  ['marks of the agent in HTML', [posedIn('blockquote')], html],
  ['marks of the agent in HTML without a quotation', [posedIn('div')], html],
  ['marks of the agent in both', both(['thanks', '', attribution, '', ...posed], posedIn('div')), alternative],
  ['HTML with nothing but a quotation', [`<blockquote>${line}</blockquote>`], html],
  ['HTML with capitals', [`<BLOCKQUOTE type="cite"><p>${line}</p></BLOCKQUOTE><p>no</p>`], html],
  ['HTML with an attribution', [`<div>${attribution}</div><blockquote>${line}</blockquote>`], html],
  ['HTML with a style before it', [`<style>p{color:red}</style><div><blockquote>${line}</blockquote></div>`], html],
]

test('what is quoted decides nothing, however it is marked', async () => {
  for (const [name, lines, headers] of quotations) assert.equal(await wordOf(lines, headers), undefined, name)
})

const mixed = ['Content-Type: multipart/mixed; boundary=m']
const parts = (...given: readonly (readonly string[])[]): string[] => [...given.flatMap((part) => ['--m', ...part]), '--m--']
const body = (text: string): string[] => ['Content-Type: text/plain', '', text]
const put = (disposition: string, type = 'text/plain'): string[] => [
  `Content-Type: ${type}`,
  ...(disposition === '' ? [] : [`Content-Disposition: ${disposition}`]),
  '',
  line,
]

test('a text that was put into a letter decides nothing where the letter itself says nothing', async () => {
  const inserted: (readonly string[])[] = [
    put('inline; filename=card.txt'),
    put("inline; filename*=utf-8''card.txt"),
    put('inline', 'text/plain; name=card.txt'),
    put('attachment; filename=card.txt'),
    put('inline'),
    put(''),
    put('inline', 'text/html'),
  ]
  for (const part of inserted)
    for (const empty of ['', ' ', '\r\n'])
      assert.equal(await wordOf(parts(body(empty), part), mixed), undefined, JSON.stringify([empty, part]))
  assert.equal(await wordOf(put('').slice(2), ['Content-Type: text/plain; name=card.txt']), undefined)
})

test('a text with the name of a file is a file, and the words above it are those of the letter', async () => {
  const given = parts(body('please look'), put('inline; filename=card.txt'))
  const { text, files } = await read(given, mixed)
  assert.deepEqual([text, files.map(({ name }) => name)], ['please look', ['card.txt']])
  assert.equal(
    Buffer.from((await files[0]?.read()) ?? [])
      .toString()
      .trim(),
    line,
  )
  assert.equal(await wordOf(parts(body(line), put('inline; filename=other.txt')), mixed), '3f2a9c1b77d0e4a5')
  assert.equal(await wordOf(parts(put('inline'), put('attachment; filename=other.txt')), mixed), '3f2a9c1b77d0e4a5')
})

test('the look at names of parts is there for a reason: without it a file that was put in decides', async (t) => {
  const weak = await loadWeakened<{ readEmail: typeof readEmail }>(t, 'email/read.ts', {
    file: 'email/read.ts',
    from: "email.beginsEmpty ? '' : ownWords(said)",
    to: 'ownWords(said)',
  })
  const source = [...head, ...mixed, '', ...parts(body(''), put('inline'))].join('\r\n')
  const { ownWords } = await weak.readEmail(Buffer.from(source), account, '<uid>')
  assert.ok(readWord(ownWords ?? ''))
})

test('the look at HTML is there for a reason: without it a quotation decides', async (t) => {
  const weak = await loadWeakened<{ readEmail: typeof readEmail }>(t, 'email/read.ts', {
    file: 'email/own-words.ts',
    from: 'if (html === undefined)',
    to: 'if (html !== null)',
  })
  const [, lines] = quotations.find(([name]) => name === 'HTML with nothing but a quotation') ?? assert.fail()
  const { ownWords } = await weak.readEmail(Buffer.from([...head, ...html, '', ...lines].join('\r\n')), account, '<uid>')
  assert.ok(readWord(ownWords ?? ''))
})

test('a letter in HTML alone is heard as its text, from who is vouched for', async () => {
  const letter = ['<html><head><style>p{}</style></head><body><p>good &amp; <b>bright</b><br>morning</p></body></html>']
  assert.equal((await read(letter, html)).text, 'good & bright\nmorning')
  const stranger = ['From: kim@example.org', ...html, '', ...letter].join('\r\n')
  assert.equal((await readEmail(Buffer.from(stranger), account, '<uid>')).text, '')
})

test('what an agent hears is the whole answer, with what it answers', async () => {
  assert.equal((await read(['> which one?', 'the second'])).text, '> which one?\nthe second')
})

test('a letter of quotation marks without end is read in time in proportion to it', async () => {
  const long = Array.from({ length: 20_000 }, (_, index) => (index % 2 === 0 ? '> x' : 'y:'))
  assert.equal(await wordOf(long), undefined)
  assert.equal(await wordOf([`${'<blockquote>'.repeat(100_000)}${line}`], html), undefined)
})
