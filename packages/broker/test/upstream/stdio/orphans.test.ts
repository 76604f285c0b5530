// What a server left behind where there is no process namespace for it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { killOrphans, markVariable } from '../../../src/upstream/stdio/start-program.ts'
import { processesOf } from '../../fixtures/processes.ts'

/** A child in a group and session of its own, and its child, both deaf to SIGTERM. */
const program = `
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 6e4)
  if (process.argv[1] !== 'last') require('node:child_process').spawn(process.execPath, ['-e', process.env.PROGRAM, 'last'], { detached: true, stdio: 'ignore' })
`

test('ends every process that carries the mark of a server, and none that carries another', async () => {
  const [mark, other] = [randomUUID(), randomUUID()]
  for (const each of [mark, other])
    spawn(process.execPath, ['-e', program], { detached: true, stdio: 'ignore', env: { [markVariable]: each, PROGRAM: program } }).unref()
  await waitFor(async () => (await processesOf(mark)).length === 2 && (await processesOf(other)).length === 2, { what: 'four processes' })
  await killOrphans(mark)
  await waitFor(async () => (await processesOf(mark)).length === 0, { what: 'the end of the marked ones' })
  assert.equal((await processesOf(other)).length, 2)
  await killOrphans(other)
  await waitFor(async () => (await processesOf(other)).length === 0, { what: 'the end of the others' })
})
