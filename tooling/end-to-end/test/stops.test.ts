// A unit that is stopped at any moment of its start leaves nothing on its host, or the record by which the next start finds it.
// GATEHOUSE_BESIDE chooses drivers by a part of their names, GATEHOUSE_ROUNDS how often.
// Profile: rest. A matrix of the moments of a start; starts.test.ts and kill.test.ts stop a unit as well.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { demoToken } from '@gatehouse/contracts'
import { seed, seeded } from '@gatehouse/testkit/random'
import { removeState } from '../src/remove-state.ts'
import { runDirectoryOf } from '../src/run-directory.ts'
import { marksOf } from '../src/traces.ts'
import { freshDirectory, startUnit } from '../src/unit.ts'
import { leftOf, stopAtOnce, stopLast } from './fixtures/beside/stops.ts'
import { flagsFor, missingFor, scenesFor } from './fixtures/beside/scenes.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const rounds = Number(process.env['GATEHOUSE_ROUNDS'] ?? (isFull ? 10 : 2))
const chosen = process.env['GATEHOUSE_BESIDE'] ?? (isFull ? '' : 'bubblewrap')
const scenes = scenesFor(true, ', without tool servers').filter(({ name }) => name.includes(chosen))
/** Requests between the readiness and the stop: the proof of the seal lasts longer than most of them. */
const maxRequests = 60

for (const scene of scenes) {
  test(
    `a stop at any moment leaves nothing, or the record of what is left: ${scene.name}`,
    { skip: await missingFor(scene) },
    async (t) => {
      const folder = await freshDirectory()
      t.after(() => removeState(folder))
      const stateDir = join(folder, 'state')
      const draw = seeded()
      t.diagnostic(`GATEHOUSE_SEED=${seed}`)
      const token = scene.mode === 'demo' ? { token: demoToken } : {}
      const start = async () => {
        const unit = await startUnit({ flags: flagsFor(scene, stateDir, undefined), ...token, stateDir })
        t.after(unit.dispose)
        return unit
      }
      for (let round = 0; round < rounds; round += 1) {
        const unit = await start()
        for (let request = draw() * maxRequests; request > 1; request -= 1) await unit.client.status()
        await stopAtOnce(unit)
      }
      const last = await start()
      const marks = await marksOf(last)
      await stopLast(last)
      assert.deepEqual(await leftOf(marks), [])
      assert.ok(!existsSync(await runDirectoryOf(last)), last.lines.slice(-40).join('\n'))
    },
  )
}
