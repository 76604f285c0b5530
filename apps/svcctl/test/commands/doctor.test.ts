// svcctl doctor.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SealProof } from '@gatehouse/contracts'
import * as v from 'valibot'
import { startUnit } from '../fake-unit.ts'
import { svcctl } from '../svcctl.ts'

const proof = (verdict: string): unknown =>
  v.parse(SealProof, {
    driver: 'oci',
    engine: 'runsc',
    at: '2026-01-02T03:04:05.000Z',
    elapsedMs: 900,
    walls: [
      { name: 'network', says: 'It sees no interface but lo.', verdict: 'held' },
      { name: 'cpu-limit', says: 'Its share of the processors is bounded.', verdict },
    ],
    faults: [],
    old: 'runsc 1 is older than 2',
  })

const examine = async (verdict: string, flags: readonly string[] = []) => {
  await using unit = await startUnit({ answers: { 'POST /v1/sandbox/probe': proof(verdict) } })
  return await svcctl(['doctor', '--probe', ...flags], { env: { SERVICE_API_URL: unit.address } })
}

test('doctor --probe names each wall, and ends with 0 when all hold', async () => {
  const { stdout, stderr, code } = await examine('held')
  assert.equal(code, 0)
  assert.match(stdout, /^network\theld\tIt sees no interface but lo\.$/m)
  assert.match(stderr, /oci by runsc: all controls are active \(900 ms\)/)
  assert.match(stderr, /old release: runsc 1 is older than 2/)
})

test('doctor --probe ends with 1 when a wall lacks, with --json too', async () => {
  assert.equal((await examine('lacking')).code, 1)
  const { stdout, code } = await examine('lacking', ['--json'])
  assert.equal(code, 1)
  assert.equal(v.parse(SealProof, JSON.parse(stdout)).walls[1]?.verdict, 'lacking')
})
