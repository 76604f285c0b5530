import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { openSealedKey, sealKey } from '../src/index.ts'

const wrapping = randomBytes(32)
const key = randomBytes(32)
const session = 'ses_abcdefghijklm'

const assertRefused = (act: () => Buffer): void =>
  assert.throws(act, (error) => isServiceError(error) && error.code === 'internal' && error.detail.includes('expected a key sealed for'))

describe('sealing a key', () => {
  test('gives the key back to its context', () => {
    const sealed = sealKey(wrapping, session, key)
    assert.match(sealed, /^v1(\.[A-Za-z0-9_-]+){3}$/)
    assert.deepEqual(openSealedKey(wrapping, session, sealed), key)
    assert.deepEqual(openSealedKey(wrapping, session, `${sealed}\n`), key)
  })

  test('never seals twice alike', () => {
    assert.notEqual(sealKey(wrapping, session, key), sealKey(wrapping, session, key))
  })

  test('refuses another context and another wrapping key', () => {
    const sealed = sealKey(wrapping, session, key)
    assertRefused(() => openSealedKey(wrapping, 'ses_nopqrstuvwxyz', sealed))
    assertRefused(() => openSealedKey(randomBytes(32), session, sealed))
  })

  test('refuses text with any character changed, and text of another form', () => {
    const sealed = sealKey(wrapping, session, key)
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'Q' : 'A'}${sealed.slice(at + 1)}`
      // The last character of a base64url part may hold bits that mean nothing.
      if (altered !== sealed && !sameBytes(altered, sealed)) assertRefused(() => openSealedKey(wrapping, session, altered))
    }
    for (const text of ['', 'v1', 'v2.a.b.c', 'v1...', `${sealed}.x`, sealed.slice(0, -4)])
      assertRefused(() => openSealedKey(wrapping, session, text))
  })
})

const sameBytes = (a: string, b: string): boolean => {
  const bytes = (text: string): string =>
    text
      .split('.')
      .map((part, index) => (index === 0 ? part : Buffer.from(part, 'base64url').toString('hex')))
      .join('.')
  return bytes(a) === bytes(b)
}
