// A state that a newer release wrote is refused with the reason, and stays as it is, byte for byte.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { exits, stateSchema } from '@gatehouse/contracts'
import { openInstallation } from '../../src/plan/installation.ts'

test('a state of a newer schema is refused and left untouched; one of this schema is opened', async (t) => {
  const stateDir = await mkdtemp(join(tmpdir(), 'gatehouse-newer-'))
  t.after(() => rm(stateDir, { recursive: true, force: true }))
  const path = join(stateDir, 'state.json')
  const written = (schema: number): string => JSON.stringify({ schema, installation: 'a'.repeat(32), mode: 'production' })
  await writeFile(path, written(stateSchema + 1))
  await assert.rejects(openInstallation(stateDir, 'production'), {
    exit: exits.configuration,
    detail: new RegExp(`expected schema ${stateSchema} or older, got ${stateSchema + 1}`),
    hint: /start that release, or restore a backup/,
  })
  assert.deepEqual([await readdir(stateDir), await readFile(path, 'utf8')], [['state.json'], written(stateSchema + 1)])
  await writeFile(path, written(stateSchema))
  assert.equal(await openInstallation(stateDir, 'production'), 'a'.repeat(32))
})
