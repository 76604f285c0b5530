// A sealed value is read by its own unit alone, and nobody can make, change or guess one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@gatehouse/testkit/random'
import { createSecrets } from '../../src/secrets.ts'

const unit = createSecrets('a'.repeat(64))
const other = createSecrets('b'.repeat(64))
const Value = fc.string({ unit: 'binary', maxLength: 300 }).filter((value) => value.isWellFormed())

test('any value comes back as it was', () => {
  fc.assert(fc.property(Value, (value) => assert.equal(unit.unseal(unit.seal(value)), value)))
  const long = 'x'.repeat(100_000)
  assert.equal(unit.unseal(unit.seal(long)), long)
})

test('a sealed value does not hold the value, and is another text each time', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 4 }), (value) => {
      const [one, two] = [unit.seal(value), unit.seal(value)]
      assert.notEqual(one, two)
      assert.match(one, /^sealed:v1:[A-Za-z0-9_-]+$/)
      assert.ok(!Buffer.from(one.slice(10), 'base64url').includes(value))
    }),
  )
})

test('a sealed value with any character changed, cut or added is none', () => {
  const sealed = unit.seal('hunter2')
  for (let at = 'sealed:v1:'.length; at < sealed.length; at += 1) {
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
    assert.equal(unit.owns(changed), false, changed)
    assert.throws(() => unit.unseal(changed), TypeError)
    assert.equal(unit.owns(sealed.slice(0, at)), false)
  }
  for (const more of ['A', '=', ' ', '\n']) assert.equal(unit.owns(sealed + more), false)
})

test('another unit cannot read it, and its digests are others', () => {
  const sealed = unit.seal('hunter2')
  assert.equal(other.owns(sealed), false)
  assert.throws(() => other.unseal(sealed), TypeError)
  assert.notEqual(other.hmac('hunter2'), unit.hmac('hunter2'))
})

test('no text that was not sealed here counts as sealed', () => {
  fc.assert(fc.property(Value, (value) => assert.equal(unit.owns(value), false)))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) =>
      assert.equal(unit.owns(`sealed:v1:${Buffer.from(bytes).toString('base64url')}`), false),
    ),
  )
})

test('two values have the same HMAC exactly when they are the same', () => {
  fc.assert(fc.property(Value, Value, (left, right) => assert.equal(unit.hmac(left) === unit.hmac(right), left === right)))
  assert.match(unit.hmac(''), /^hmac:[0-9a-f]{64}$/)
})

test('a key of another length is refused', () => {
  for (const key of ['', 'a', 'a'.repeat(63), 'a'.repeat(66), 'z'.repeat(64)]) assert.throws(() => createSecrets(key), TypeError)
})

test('an error does not repeat the text', () => {
  assert.throws(
    () => unit.unseal('sealed:v1:hunter2hunter2'),
    (error: Error) => !error.message.includes('hunter2'),
  )
})
