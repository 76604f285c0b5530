// A decision is the first line of a letter: what mail programs quote, mark badly or put below decides nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCommand } from '../../src/commands/command.ts'
import { readEmail } from '../../src/email/read.ts'
import { readCorpus } from '../fixtures/corpus.ts'
import { account, vouched } from '../fixtures/mail.ts'
import { loadWeakened } from '../fixtures/weakened.ts'

const head = [vouched, 'From: kim@example.org', 'To: agents@example.org', 'In-Reply-To: <card@example.org>']
const line = 'approve 125301.123 3f2a9c1b77d0e4a5'
const attribution = 'On Monday, Agents wrote:'
const longAttribution = ['On Monday, November 23, 2026 at 10:00', 'Agents <agents@example.org> wrote:']
const quoted = ['> Change to ops-agent waits', '>', `> ${line}`]

const read = (lines: readonly string[], headers: readonly string[] = []) =>
  readEmail(Buffer.from([...head, ...headers, '', ...lines].join('\r\n')), account, '<uid-1-2>')
const wordOf = async (...given: Parameters<typeof read>) => {
  const { unquotedText, text } = await read(...given)
  return parseCommand(unquotedText ?? text)?.digest
}
const html = ['Content-Type: text/html; charset=utf-8']

const letters = readCorpus('letters')

const readEntry = (body: string) => readEmail(Buffer.from([...head, body].join('\n').replaceAll('\n', '\r\n')), account, '<uid-1-2>')

test('letters as fourteen mail programs write them: a decision at the top decides, and no other', async () => {
  assert.ok(letters.length >= 200, String(letters.length))
  for (const { file, title, body } of letters) {
    const { unquotedText = '', isMisplaced } = await readEntry(body)
    const word = parseCommand(unquotedText)
    const found = word !== undefined ? 'decides' : isMisplaced === true ? 'unclear' : 'nothing'
    assert.equal(found, title[0], `${file}: ${title.join(' | ')}`)
    if (word !== undefined) assert.deepEqual([word.change, word.digest], ['125301.123', '3f2a9c1b77d0e4a5'], file)
  }
})

test('that only the first line counts is there for a reason: without it what is quoted decides', async (t) => {
  const weak = await loadWeakened<{ readEmail: typeof readEmail }>(t, 'email/read.ts', {
    file: 'email/opening.ts',
    from: 'const line = firstLine(text)',
    to: "const line = text.split('\\n').find((one) => parseCommand(one) !== undefined) ?? ''",
  })
  const decided: string[] = []
  for (const { title, body } of letters) {
    const { unquotedText = '' } = await weak.readEmail(Buffer.from([...head, body].join('\r\n')), account, '<uid>')
    if (title[0] !== 'decides' && parseCommand(unquotedText) !== undefined) decided.push(body)
  }
  assert.ok(decided.length >= 30, String(decided.length))
})

test('of every letter that decides nothing no part decides, whatever line break or mark is lost', async () => {
  const lossy = letters.filter(({ title: [kind], body }) => kind === 'nothing' && body.startsWith('Content-Type: text/plain'))
  assert.ok(lossy.length >= 30, String(lossy.length))
  for (const { body, file } of lossy) {
    const lines = body.split('\n')
    const start = lines.indexOf('') + 1
    for (let at = start + 2; at < lines.length; at += 1) {
      const broken = lines.with(at, (lines[at] ?? '').replace(/^>+ ?/, ''))
      assert.equal(parseCommand((await readEntry(broken.join('\n'))).unquotedText ?? ''), undefined, `${file}, line ${at}`)
    }
  }
})

test('a decision is the first line of a letter, with a subject of its own or none', async () => {
  const decisions: (readonly string[])[] = [
    [line],
    ['', '', line],
    [line, '', attribution, ...quoted],
    [line, attribution, ...quoted, '-- ', 'Kim'],
    [`${line} not`, 'today'],
  ]
  for (const letter of decisions) assert.equal(await wordOf(letter), '3f2a9c1b77d0e4a5', letter.join('|'))
  const fresh = [vouched, 'From: kim@example.org', 'To: agents@example.org', 'Subject: my answer', '', line].join('\r\n')
  assert.ok(parseCommand((await readEmail(Buffer.from(fresh), account, '<uid>')).unquotedText ?? ''))
})

test('a decision below a quotation, a greeting or an indent is none, and its sender is told how to decide', async () => {
  const doubtful: (readonly string[])[] = [
    [attribution, ...quoted, '', line],
    [...longAttribution, ...quoted, '', line, '', 'Kim'],
    ['', ...quoted, '', line],
    ['Hello,', line],
    [`    ${line}`],
    [attribution, ...quoted.slice(0, 2), line],
  ]
  for (const letter of doubtful) {
    const { unquotedText = '', isMisplaced } = await read(letter)
    assert.deepEqual([parseCommand(unquotedText), isMisplaced], [undefined, true], letter.join('|'))
  }
  for (const letter of [
    [attribution, ...quoted],
    ['no', attribution, ...quoted],
    [`> ${line}`, '', 'what is that?'],
  ])
    assert.equal((await read(letter)).isMisplaced, false, letter.join('|'))
})

test('in HTML alone it stands before the quotation', async () => {
  const quote = `<blockquote><p>Change to ops-agent waits</p><p>${line}</p></blockquote>`
  assert.equal(await wordOf([`<p>${line}</p><div>${attribution}</div>${quote}`], html), '3f2a9c1b77d0e4a5')
  assert.equal(await wordOf([`<p>${line}</p>`], html), '3f2a9c1b77d0e4a5')
})

const alternative = ['Content-Type: multipart/alternative; boundary=b']
/** A letter as a text and as HTML. */
const both = (text: readonly string[], page: string): string[] => ['--b', '', ...text, '--b', ...html, '', page, '--b--']

test('with text and HTML parts, the decision must be outside of the quotation in both', async () => {
  const quote = `<blockquote><p>Change to ops-agent waits</p><p>${line}</p></blockquote>`
  const above = both([line, '', attribution, ...quoted], `<p>${line}</p><p>${attribution}</p>${quote}`)
  const differs = both([line, '', attribution, ...quoted], `<p>no</p><p>${attribution}</p>${quote}`)
  assert.equal(await wordOf(above, alternative), '3f2a9c1b77d0e4a5')
  assert.equal(await wordOf(differs, alternative), undefined)
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
  ['a long line that was wrapped without a mark', ['thanks', attribution, '> Change to ops-agent', line, '> waits'], []],
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
    file: 'email/opening.ts',
    from: "beginsEmpty ? '' : await confirmed(line, email)",
    to: 'await confirmed(line, email)',
  })
  const source = [...head, ...mixed, '', ...parts(body(''), put('inline'))].join('\r\n')
  const { unquotedText } = await weak.readEmail(Buffer.from(source), account, '<uid>')
  assert.ok(parseCommand(unquotedText ?? ''))
})

test('the look at HTML is there for a reason: without it a quotation decides', async (t) => {
  const weak = await loadWeakened<{ readEmail: typeof readEmail }>(t, 'email/read.ts', {
    file: 'email/opening.ts',
    from: 'if (email.html === undefined)',
    to: 'if (email.html !== null)',
  })
  const [, lines] = quotations.find(([name]) => name === 'HTML with nothing but a quotation') ?? assert.fail()
  const { unquotedText } = await weak.readEmail(Buffer.from([...head, ...html, '', ...lines].join('\r\n')), account, '<uid>')
  assert.ok(parseCommand(unquotedText ?? ''))
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

test('an e-mail full of quotation marks is parsed in linear time', async () => {
  const long = Array.from({ length: 20_000 }, (_, index) => (index % 2 === 0 ? '> x' : 'y:'))
  assert.equal(await wordOf(long), undefined)
  assert.equal(await wordOf([`${'<blockquote>'.repeat(100_000)}${line}`], html), undefined)
})
