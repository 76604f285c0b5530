// The admin token that the unit minted is printed by the first start that becomes ready, and no other token ever is.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type AdminToken, recordShown, resolveToken } from '../../src/plan/token.ts'

const directory = async (t: TestContext): Promise<string> => {
  const stateDir = await mkdtemp(join(tmpdir(), 'token-'))
  t.after(() => rm(stateDir, { recursive: true }))
  return stateDir
}

const resolve = (stateDir: string): Promise<AdminToken> => resolveToken({ mode: 'production', token: null, open: false, stateDir })

const printed = async ({ newToken }: AdminToken): Promise<string[]> => {
  const lines: string[] = []
  await newToken?.show((token) => lines.push(token))
  return lines
}

test('a minted token is printed by the first start that becomes ready, and by no later one', async (t) => {
  const stateDir = await directory(t)
  const first = await resolve(stateDir)
  const second = await resolve(stateDir)
  assert.equal(second.value, first.value)
  assert.deepEqual(await printed(second), [first.value])
  assert.deepEqual(await printed(await resolve(stateDir)), [])
})

test('a token that took the place of one that was not shown is not printed', async (t) => {
  const stateDir = await directory(t)
  await resolve(stateDir)
  const other = 'f'.repeat(64)
  await writeFile(join(stateDir, 'admin-token'), `${other}\n`)
  const { value, newToken } = await resolve(stateDir)
  assert.deepEqual([value, newToken], [other, undefined])
})

test('a token that is minted beside the mark of an earlier one is printed', async (t) => {
  const stateDir = await directory(t)
  const earlier = await resolve(stateDir)
  await rm(join(stateDir, 'admin-token'))
  const next = await resolve(stateDir)
  assert.notEqual(next.value, earlier.value)
  assert.deepEqual(await printed(next), [next.value])
  await recordShown(stateDir)
})

test('the mark of a token that was not shown does not hold the token', async (t) => {
  const stateDir = await directory(t)
  const { value } = await resolve(stateDir)
  assert.match(await readFile(join(stateDir, 'admin-token.unshown'), 'utf8'), /^[0-9a-f]{64}$/)
  assert.notEqual(await readFile(join(stateDir, 'admin-token.unshown'), 'utf8'), value)
})
