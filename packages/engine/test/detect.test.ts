// The driver that a mode and its flags select.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type ContainerEngine, containerEngines, type Mode } from '@gatehouse/contracts'
import { attemptEngine } from '../src/container/detect.ts'
import { chooseDriver, type WantedDriver } from '../src/detect.ts'
import { findDriver, home } from './fixtures/engines.ts'
import { quiet } from './fixtures/log.ts'

interface Named {
  readonly engine?: ContainerEngine
  readonly runtime?: string
}

const chosen = async (wanted: WantedDriver, mode: Mode, { engine, runtime }: Named = {}): Promise<string> => {
  const choice = await chooseDriver(wanted, {
    mode,
    engine: engine ?? null,
    runtime: runtime ?? null,
    agent: '/agent.mjs',
    home: join(tmpdir(), 'gatehouse-detect'),
    unitId: `detect-${process.pid}`,
    allowOldEngine: false,
    log: quiet,
  })
  return 'refused' in choice ? choice.refused : `driver ${choice.driver.name}: ${choice.driver.engine}`
}

const podman = await findDriver({
  label: 'podman-runc',
  install: 'apt-get install podman runc',
  find: () => attemptEngine('podman', { runtime: 'runc', home, unitId: `detect-${process.pid}` }),
})
const withoutPodman = typeof podman === 'string' && podman

describe('choosing a driver', () => {
  it('selects oci in production, or reports what is missing and how to fix it', async () => {
    for (const wanted of ['auto', 'oci'] as const) {
      const said = await chosen(wanted, 'production')
      assert.match(said, /^driver oci: |needs root|not found: apt-get|older than .*--allow-old-engine|control groups/)
    }
  })

  it('refuses --sandbox none without --dev', async () => {
    for (const mode of ['production', 'demo'] as const) assert.match(await chosen('none', mode), /only with --dev/)
    assert.match(await chosen('none', 'dev'), /^driver none: /)
  })

  it('refuses a runtime for a driver without runtimes', async () => {
    assert.match(
      await chosen('bubblewrap', 'dev', { runtime: 'runsc' }),
      /--sandbox-runtime runsc needs --sandbox container or --sandbox oci, got --sandbox bubblewrap/,
    )
  })

  it('refuses a runtime that no engine knows, by its name', async () => {
    const said = await chosen('container', 'dev', { runtime: 'no-such-runtime' })
    assert.match(said, /no-such-runtime|docker does not answer|docker not found/)
    assert.doesNotMatch(said, /^driver/)
  })

  it('tries only the named container engine and reports its fault', async () => {
    for (const engine of containerEngines) {
      const said = await chosen('auto', 'dev', { engine })
      assert.match(said, new RegExp(`^driver container: ${engine} with |^container: .*${engine}`), said)
      for (const other of containerEngines) if (other !== engine) assert.doesNotMatch(said, new RegExp(`\\b${other}\\b`), said)
    }
  })

  it('selects podman when it is named, although docker is tried first by default', { skip: withoutPodman }, async () => {
    assert.match(await chosen('container', 'dev', { engine: 'podman', runtime: 'runc' }), /^driver container: podman with runc/)
  })

  it('refuses a container engine for a driver that uses none', async () => {
    assert.match(
      await chosen('bubblewrap', 'dev', { engine: 'podman' }),
      /--sandbox-engine podman needs --sandbox container, got --sandbox bubblewrap/,
    )
  })
})
