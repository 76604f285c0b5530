// Digests and keys that state directories depend on must never change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deriveKey, sha256 } from '../../src/index.ts'

const master = Buffer.alloc(32, 7)

test('sha256 returns hex for text and for bytes', () => {
  assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  assert.equal(sha256(Buffer.from('abc')), sha256('abc'))
})

test('each purpose, epoch and master key gives a different derived key', () => {
  const keys = [
    deriveKey(master, 'database'),
    deriveKey(master, 'journal'),
    deriveKey(master, 'database', 2),
    deriveKey(Buffer.alloc(32, 8), 'database'),
  ]
  assert.ok(keys.every((key) => key.length === 32))
  assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, 4)
})

test('derived keys are the same in every release', () => {
  assert.deepEqual(deriveKey(master, 'database', 1), deriveKey(master, 'database'))
  assert.equal(deriveKey(master, 'database').toString('hex'), '3098b74641eaa32af98105c76bf5e88f8a320460f299dd84454a78ad8cd91284')
})
