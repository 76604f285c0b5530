// The one error that crosses a border.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codes, isServiceError, ServiceError, toServiceError } from '../src/index.ts'

test('an unknown error becomes internal and keeps its text behind', () => {
  const error = toServiceError(new TypeError('a secret path /root/x'))
  assert.equal(error.code, 'internal')
  assert.equal(error.detail, codes.internal.title)
  assert.ok(error.cause instanceof TypeError)
})

test('an error is recognised by its brand, not by its class', () => {
  const foreign = { [Symbol.for('gatehouse.ServiceError')]: true, code: 'not-found' }
  assert.ok(isServiceError(foreign))
  assert.ok(isServiceError(new ServiceError('not-found')))
  assert.ok(!isServiceError(new Error('not-found')))
})

test('every code has a status and an exit that its class of fault allows', () => {
  for (const [code, { status, exit }] of Object.entries(codes)) {
    assert.ok(status >= 400 && status < 600, code)
    assert.ok(exit >= 1 && exit <= 9, code)
  }
})
