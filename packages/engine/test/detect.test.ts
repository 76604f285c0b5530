// Which driver a mode and its flags lead to.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Mode } from '@gatehouse/contracts'
import { type WantedDriver, chooseDriver } from '../src/detect.ts'
import { quiet } from './fixtures/log.ts'

const refusal = async (wanted: WantedDriver, mode: Mode, runtime: string | null = null): Promise<string> => {
  const choice = await chooseDriver(wanted, {
    mode,
    runtime,
    agent: '/agent.mjs',
    home: join(tmpdir(), 'gatehouse-detect'),
    installation: `detect-${process.pid}`,
    allowOldEngine: false,
    log: quiet,
  })
  return 'refused' in choice ? choice.refused : `driver ${choice.driver.name}`
}

describe('choosing a driver', () => {
  it('takes oci in production, or says what it lacks here and what can be done', async () => {
    for (const wanted of ['auto', 'oci'] as const) {
      const said = await refusal(wanted, 'production')
      assert.match(said, /^driver oci$|needs root|not found: apt-get|older than .*--allow-old-engine|control groups/)
    }
  })

  it('refuses no sandbox at all outside --dev', async () => {
    for (const mode of ['production', 'demo'] as const) assert.match(await refusal('none', mode), /--dev alone/)
    assert.equal(await refusal('none', 'dev'), 'driver none')
  })

  it('refuses a runtime for a driver that takes none', async () => {
    assert.match(
      await refusal('bubblewrap', 'dev', 'runsc'),
      /--sandbox-runtime runsc needs --sandbox container or --sandbox oci, got --sandbox bubblewrap/,
    )
  })

  it('refuses a runtime that no engine knows, by its name', async () => {
    const said = await refusal('container', 'dev', 'no-such-runtime')
    assert.match(said, /no-such-runtime|docker does not answer|docker not found/)
    assert.doesNotMatch(said, /^driver/)
  })
})
