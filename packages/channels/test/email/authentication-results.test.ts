// Whose word on a sender counts: forged, nested and odd headers, and what each weaker reading would believe.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isVouchedFor, verdictsOf } from '../../src/email/authentication-results.ts'

const from = 'ann@mail.example.org'
const vouched = (...headers: string[]): boolean => isVouchedFor(from, verdictsOf(headers, 'mx.example'))

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

test('of several words of the server the last one it said counts, which is the first; those of others are passed over', () => {
  const [good, bad, other] = ['mx.example; dmarc=pass header.from=mail.example.org', 'mx.example; dmarc=fail', 'else.example; dmarc=pass']
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
  for (const piece of ['a', 'a-', 'a=b;', 'a.b=c ', '="" ', ';;', '()', ' ']) {
    assert.ok(vouched(good + piece.repeat(16_000 / piece.length)), piece)
    assert.ok(!vouched(good + piece.repeat(200_000 / piece.length)), piece)
  }
  for (const piece of ['(', '"', '\\', '="']) assert.ok(!vouched(good + piece.repeat(16_000 / piece.length - 1)), piece)
})
