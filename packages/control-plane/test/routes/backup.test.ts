// A backup at the front door: permitted first, passed on piece by piece, cut where it fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { createTestUnit } from '../fixtures/unit.ts'

const order = { passphrase: 'a passphrase of a test' }
const id = '0'.repeat(32)

const pieces = (texts: readonly string[], then: () => { bytes: string | null }) => {
  const left = [...texts]
  return () => {
    const next = left.shift()
    return next === undefined ? then() : { bytes: Buffer.from(next).toString('base64') }
  }
}

test('passes the pieces on in their order, and ends the backup', async () => {
  const { ask, calls } = createTestUnit({ answers: { 'supervisor.readBackup': pieces(['age-', 'encryption'], () => ({ bytes: null })) } })
  const answer = await ask('POST', '/v1/backup', { body: order })
  assert.equal(answer.status, 200)
  assert.equal(answer.text, 'age-encryption')
  const names = calls.map(({ name }) => name)
  assert.ok(names.indexOf('gateway.permit') < names.indexOf('supervisor.backup'), 'permitted before anything is taken down')
  assert.deepEqual(calls.find(({ name }) => name === 'supervisor.backup')?.params, order)
  assert.deepEqual(calls.find(({ name }) => name === 'supervisor.endBackup')?.params, { id })
})

test('takes nothing down for whoever may not', async () => {
  const { ask, calls } = createTestUnit({
    answers: {
      'gateway.permit': () => {
        throw new ServiceError('forbidden')
      },
    },
  })
  assert.equal((await ask('POST', '/v1/backup', { body: order })).status, 403)
  assert.deepEqual(
    calls.filter(({ name }) => name.startsWith('supervisor.')),
    [],
  )
})

test('says what went wrong before the first piece', async () => {
  const full = (): never => {
    throw new ServiceError('unavailable', { detail: 'the disk of the state directory is full' })
  }
  const { ask } = createTestUnit({ answers: { 'supervisor.backup': full } })
  const answer = await ask('POST', '/v1/backup', { body: order })
  assert.deepEqual([answer.status, answer.json().detail], [503, 'the disk of the state directory is full'])
})
