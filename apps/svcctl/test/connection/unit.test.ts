// Where a token may go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { checkAddress } from '../../src/connection/unit.ts'

const refused = (address: string, options = { token: true, insecure: false }): void =>
  assert.throws(
    () => checkAddress(address, options),
    (error) => isServiceError(error) && error.code === 'invalid',
  )

test('a token goes to this machine by http and anywhere by https', () => {
  for (const address of [
    'http://127.0.0.1:8787',
    'http://127.9.9.9',
    'http://localhost:1',
    'http://[::1]:8787',
    'http://127.1:80',
    'https://unit.example.org',
  ]) {
    assert.equal(checkAddress(address, { token: true, insecure: false }), address)
  }
})

test('a token never goes to another machine by http, however the machine is written', () => {
  for (const address of [
    'http://unit.example.org',
    'http://10.0.0.1:8787',
    'http://127.0.0.1.example.org',
    'http://localhost.example.org',
    'http://0x0a000001',
    'http://[::ffff:10.0.0.1]',
  ]) {
    refused(address)
  }
})

test('without a token, or when asked to, http is allowed', () => {
  assert.equal(checkAddress('http://10.0.0.1', { token: false, insecure: false }), 'http://10.0.0.1')
  assert.equal(checkAddress('http://10.0.0.1', { token: true, insecure: true }), 'http://10.0.0.1')
})

test('what is no address of a unit is refused', () => {
  for (const address of ['127.0.0.1:8787', 'localhost:8787', 'ftp://127.0.0.1', 'http://user:pass@127.0.0.1', '']) refused(address)
})
