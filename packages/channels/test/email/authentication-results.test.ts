// Whose word on a sender counts: headers of mail services, hostile ones, and what each weaker reading would believe.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAuthenticated } from '../../src/email/authenticate-sender.ts'
import { type Entry, readCorpus } from '../fixtures/corpus.ts'
import { loadWeakened } from '../fixtures/weakened.ts'

const corpus = readCorpus('results')

/** As the letter's parser hands them on. */
const headersIn = ({ body }: Entry): string[] =>
  body
    .split(/^Authentication-Results:/m)
    .slice(1)
    .map((text) => text.replaceAll('\n', '').trim())

/** Entries that are not judged as their titles say. */
const misjudged = (judge: typeof isAuthenticated): string[] =>
  corpus.flatMap((entry) => {
    const [verdict, from = '', server = ''] = entry.title
    const isBelieved = judge(from, headersIn(entry), server)
    return isBelieved === (verdict === 'believed') ? [] : [`${entry.file}: ${entry.title.join(' | ')}\n${entry.body}`]
  })

test('of the headers of twelve mail services, of RFC 8601 and of hostile senders only those that prove the sender are believed', () => {
  assert.ok(corpus.length >= 300, String(corpus.length))
  assert.ok(corpus.filter(({ title: [verdict] }) => verdict === 'believed').length >= 80)
  assert.deepEqual(misjudged(isAuthenticated), [])
})

test('each rule of the reading is there for a reason: without it a forged header is believed', async (t) => {
  const weakenings = [
    { file: 'email/authenticate-sender.ts', from: '!all.some((result) => contradicts(result, sender)) &&', to: '' },
    { file: 'email/authenticate-sender.ts', from: 'if (header === undefined && mayBeOwn) return undefined', to: '' },
    { file: 'email/authenticate-sender.ts', from: 'own[0]?.results', to: 'all' },
    { file: 'email/authenticate-sender.ts', from: '|| result.methodVersion !== 1', to: '' },
    { file: 'email/authentication-results.ts', from: 'isPlain && !properties.has(name) ? text : null', to: 'text' },
    { file: 'email/authentication-results.ts', from: "isPlain: parts.length === 1 && !first.includes('\\\\')", to: 'isPlain: true' },
    { file: 'email/authentication-results.ts', from: "if (match.at(-2) === '\\\\') continue", to: '' },
  ]
  for (const weakening of weakenings) {
    const weak = await loadWeakened<{ isAuthenticated: typeof isAuthenticated }>(t, 'email/authenticate-sender.ts', weakening)
    assert.notDeepEqual(misjudged(weak.isAuthenticated), [], weakening.from)
  }
})

const from = 'ann@mail.example.org'
const vouched = (...headers: string[]): boolean => isAuthenticated(from, headers, 'mx.example')

for (const header of [
  'mx.example; dmarc=pass header.from=mail.example.org',
  'MX.Example 1; spf=pass smtp.mailfrom=x@y; dmarc=pass (p=REJECT sp=none) header.from=mail.example.org',
  'mx.example; dkim=pass header.d=mail.example.org header.s=k',
  'mx.example; dkim=pass header.d=example.org',
  'mx.example; dkim=fail header.d=example.org; dkim=pass header.i=@example.org',
  'mx.example; auth=pass smtp.auth=ann@mail.example.org',
  '"mx.example"; dkim=pass reason="good; really" header.d="mail.example.org"',
]) {
  test(`believes ${header}`, () => assert.ok(vouched(header)))
}

for (const header of [
  '',
  'mx.example; none',
  'mx.example',
  'other.example; dkim=pass header.d=mail.example.org',
  'mx.example.evil; dkim=pass header.d=mail.example.org',
  'mx.example; spf=pass smtp.mailfrom=ann@mail.example.org',
  'mx.example; dmarc=pass header.from=evil.example',
  'mx.example; dmarc=fail header.from=mail.example.org',
  'mx.example; dkim=pass header.d=evil.example',
  'mx.example; dkim=pass header.d=org',
  'mx.example; dkim=pass header.d=ample.org',
  'mx.example; dkim=pass',
  'mx.example; auth=pass smtp.auth=mallory@mail.example.org',
  'mx.example; auth=pass',
  'mx.example; dkim=fail reason="dkim=pass header.d=mail.example.org"',
  'mx.example; dkim=fail (dkim=pass header.d=mail.example.org;)',
  'mx.example; dkim=fail reason="; dkim=pass header.d=mail.example.org"',
  'mx.example (; dkim=pass header.d=mail.example.org',
  'mx.example; x=y header.d="mail.example.org; dkim=pass',
  '(mx.example;) evil; dkim=pass header.d=mail.example.org',
  'mx.example; spf=pass smtp.helo=x\\"; dkim=pass header.d=mail.example.org',
  'mx.example; spf=pass smtp.helo=x\\; dkim=pass header.d=mail.example.org',
  '\\mx.example; dkim=pass header.d=mail.example.org',
  'mx.example; spf=pass smtp.helo=dkim=pass header.d=mail.example.org',
]) {
  test(`does not believe ${JSON.stringify(header)}`, () => assert.ok(!vouched(header)))
}

test('the last header of the server proves, which is the first; those of others are passed over', () => {
  const [good, bad, other] = ['mx.example; dmarc=pass header.from=mail.example.org', 'mx.example; none', 'else.example; dmarc=pass']
  assert.ok(vouched(good, bad))
  assert.ok(vouched(other, good))
  assert.ok(!vouched(bad, good))
  assert.ok(!vouched(other))
})

test('one that cannot be read hides what a sender may have written below it', () => {
  const below = 'mx.example; dmarc=pass header.from=mail.example.org'
  for (const unread of ['mx.example (; dmarc=fail', 'mx.example; dmarc=fail x=\\"', `mx.example; dmarc=fail x=${'a'.repeat(17_000)}`])
    assert.ok(!vouched(unread, below), unread.slice(0, 40))
})

test('a header is read up to a length that no server needs, in time in proportion to it', () => {
  const good = 'mx.example; dkim=pass header.d=mail.example.org; '
  for (const piece of [';;', '()', ' ', 'a=b;', 'a=b c.d="" ; ']) {
    assert.ok(vouched(good + piece.repeat(16_000 / piece.length)), piece)
    assert.ok(!vouched(good + piece.repeat(200_000 / piece.length)), piece)
  }
  for (const piece of ['a', 'a-', 'a.b=c ', '="" ', '(', '"', '\\', '="', '()('])
    assert.ok(!vouched(good + piece.repeat(16_000 / piece.length - 1)), piece)
})
