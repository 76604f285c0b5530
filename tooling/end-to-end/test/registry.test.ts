// A small package from a real registry, over the network: resolved, approved as the tree that it is, and imported by a script.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowTool, applyChange, scriptOf, settled } from '../src/changes.ts'
import { say } from '../src/chat.ts'
import { startUnit } from '../src/unit.ts'

if (process.env['GATEHOUSE_PROFILE'] === 'full')
  test('a package of the registry is resolved, approved and imported', { timeout: 240_000 }, async (t) => {
    const { npm_config_registry: registry, NODE_EXTRA_CA_CERTS: authorities } = process.env
    const unit = await startUnit({
      flags: ['--dev', '--sandbox', 'bubblewrap', '--rate-limit', 'off'],
      env: {
        ...(registry === undefined ? {} : { SERVICE_NPM_REGISTRY: registry }),
        ...(authorities === undefined ? {} : { SERVICE_CA_FILE: authorities }),
      },
    })
    t.after(unit.dispose)
    await say(unit, 'hello')
    await allowTool(unit, 'run_script')
    const id = await applyChange(unit, { kind: 'packages', after: { npm: ['is-odd@3.0.1'] } })
    const { evidence } = await unit.client.changes.show(id)
    assert.equal(evidence?.['status'], 'resolved', JSON.stringify(evidence))
    await settled(unit, id)
    const script = scriptOf(`import isOdd from 'is-odd'; console.log(isOdd(3), isOdd(4))`)
    assert.deepEqual(JSON.parse(await say(unit, script)), { stdout: 'true false\n', stderr: '', exitCode: 0 })
  })
