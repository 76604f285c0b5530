// Global flags before the command mean what they mean behind it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveLeadingFlags } from '../src/main.ts'
import { startUnit } from './fake-unit.ts'
import { svcctl } from './svcctl.ts'

test('moves global flags behind the command, and before --', () => {
  assert.deepEqual(moveLeadingFlags(['--addr', 'X', '--json', 'change', 'pending']), ['change', 'pending', '--addr', 'X', '--json'])
  assert.deepEqual(moveLeadingFlags(['--addr=X', 'chat', 'g', '--', '--text']), ['chat', 'g', '--addr=X', '--', '--text'])
})

test('leaves everything else where it is', () => {
  for (const argv of [[], ['--help'], ['--version'], ['--json'], ['change', 'show', '--json', 'id'], ['--nonsense', 'status']]) {
    assert.deepEqual(moveLeadingFlags(argv), argv)
  }
})

test('asks the unit that was named before the command', async () => {
  await using unit = await startUnit()
  const ended = await svcctl(['--addr', unit.address, '--json', 'change', 'pending'])
  assert.equal(ended.code, 0)
  assert.equal(unit.asked.length, 1)
  assert.equal((JSON.parse(ended.stdout) as unknown[]).length, 1)
})
