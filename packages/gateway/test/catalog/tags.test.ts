// The tag of an entry: an operator changes the state that was looked at, and no other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Digest } from '@gatehouse/contracts'
import { fails, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { putServer, server, stdio } from '../fixtures/tools.ts'
import { context, openTestUnit, openUnit, removeDirectory } from '../fixtures/unit.ts'

const unit = await openTestUnit()

const put = async (name: string, entry: object, ifMatch?: Digest | null) =>
  unit.gateway.controlPlane.putServer({ token, name: server(name), entry, ...(ifMatch === undefined ? {} : { ifMatch }) }, context)
const remove = async (name: string, ifMatch?: Digest | null) =>
  unit.gateway.controlPlane.removeServer({ token, name: server(name), ...(ifMatch === undefined ? {} : { ifMatch }) }, context)
const tagOf = async (name: string): Promise<Digest> => (await unit.gateway.controlPlane.server({ token, name: server(name) }, context)).tag
const withToken = (value: string) => ({ ...stdio, env: { TOKEN: value } })

test('changes with a value, which the digest does not, and is the same for the same entry', async () => {
  const first = await put('one', withToken('a'))
  const second = await put('one', withToken('b'))
  assert.equal(second.digest, first.digest)
  assert.notEqual(second.tag, first.tag)
  assert.equal((await put('one', withToken('a'))).tag, first.tag)
  assert.equal(await tagOf('one'), first.tag)
  assert.notEqual((await put('two', withToken('a'))).tag, first.tag)
})

test('reaches the broker beside the digest, so that a new value is used at once', async () => {
  const told = async () => {
    const item = (await unit.gateway.broker.catalog({}, context)).find(({ name }) => name === 'told')
    return [item?.digest, item?.tag]
  }
  const first = await put('told', withToken('a'))
  assert.deepEqual(await told(), [first.digest, first.tag])
  const second = await put('told', withToken('b'))
  assert.deepEqual(await told(), [first.digest, second.tag])
})

test('of another unit is another, so that nobody can try values against it', async () => {
  const stranger = await openUnit({ boot: { keys: { database: '1'.repeat(64), journal: '2'.repeat(64), secrets: '4'.repeat(64) } } })
  await put('key', withToken('a'))
  assert.notEqual((await putServer(stranger, 'key', withToken('a'))).tag, await tagOf('key'))
  await stranger.close()
  await removeDirectory(stranger.dir)
})

test('that has moved refuses a replacement and a removal, and nothing is journaled', async () => {
  const { tag } = await put('moved', withToken('a'))
  await put('moved', withToken('b'))
  const lines = (await audit(unit)).length
  assert.equal((await fails(put('moved', withToken('c'), tag))).code, 'precondition-failed')
  assert.equal((await fails(remove('moved', tag))).code, 'precondition-failed')
  assert.equal((await audit(unit)).length, lines)
  await put('moved', withToken('c'), await tagOf('moved'))
  await remove('moved', await tagOf('moved'))
})

test('null stands for no entry', async () => {
  assert.equal((await put('fresh', stdio, null)).created, true)
  const error = await fails(put('fresh', stdio, null))
  assert.equal(error.code, 'precondition-failed')
  await remove('fresh')
  const { tag } = await put('absent', stdio)
  await remove('absent')
  assert.equal((await fails(put('absent', stdio, tag))).code, 'precondition-failed')
})

test('of fifty that replace the same state one wins', async () => {
  const { tag } = await put('race', stdio)
  const ends = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => put('race', withToken(`value ${at}`), tag)))
  assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
})
