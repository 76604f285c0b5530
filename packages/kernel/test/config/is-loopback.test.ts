// Every spelling of the loopback host, and no other host.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback } from '../../src/index.ts'

test('loopback addresses and localhost are loopback', () => {
  for (const host of ['127.0.0.1', '127.8.9.10', '::1', '[::1]', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost', 'LOCALHOST']) {
    assert.equal(isLoopback(host), true, host)
  }
})

test('other addresses and names are not loopback', () => {
  for (const host of [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '128.0.0.1',
    'localhost.example',
    'localhost.',
    '127.1',
    '2130706433',
    '',
    '[127.0.0.1',
    '::ffff:10.0.0.1',
  ]) {
    assert.equal(isLoopback(host), false, host)
  }
})
