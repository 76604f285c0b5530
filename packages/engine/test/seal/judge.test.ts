// Verdicts from facts: each wrong fact makes one control missing.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Control } from '../../src/driver.ts'
import type { Facts } from '../../src/seal/facts.ts'
import { evaluateSeal, type SealInput } from '../../src/seal/judge.ts'

const none = '0000000000000000'
const flags = ['rw', 'nosuid', 'nodev', 'noexec']
const sealed: Facts = {
  uid: 65532,
  gid: 65532,
  groups: [65532],
  status: { CapInh: none, CapPrm: none, CapEff: none, CapBnd: none, CapAmb: none, NoNewPrivs: '1', Seccomp: '2' },
  interfaces: ['lo'],
  routes: [],
  abstractSockets: [],
  inet: 'EPERM',
  mounts: [
    { target: '/', type: 'ext4', flags: ['ro'] },
    { target: '/tmp', type: 'tmpfs', flags },
    { target: '/workspace', type: 'ext4', flags },
  ],
  writable: ['/tmp', '/workspace'],
  executable: [],
  tmpBytes: 64 * 1024 * 1024,
  environment: ['GIVEN', 'PATH'],
  initEnvironment: null,
  descriptors: ['/dev/null'],
  processes: [1, 2],
  files: ['/bin', '/bin/node', '/etc', '/etc/passwd', '/agent', '/agent/agent.mjs'],
  resolvers: [],
  loginID: 'fixed',
  devices: ['null', 'zero', 'pts'],
  limits: { open_files: { soft: 1024, hard: 1024 }, core_file_size_blocks: { soft: 0, hard: 0 } },
  sockets: {},
}
const given: SealInput = {
  env: { GIVEN: 'x' },
  mounts: [{ source: '/somewhere', target: '/workspace', mode: 'rw' }],
  tmpMiB: 64,
  kernel: 'host',
}

const lacking = (spoilt: Partial<Facts>): string[] =>
  Object.entries(evaluateSeal({ ...sealed, ...spoilt }, given))
    .filter(([, verdict]) => verdict === 'lacking')
    .map(([wall]) => wall)

const spoils: readonly [Control, Partial<Facts>][] = [
  ['identity', { uid: 0 }],
  ['identity', { groups: [65532, 0] }],
  ['network', { interfaces: ['lo', 'eth0'] }],
  ['network', { interfaces: null }],
  ['network', { routes: ['eth0 00000000'] }],
  ['network', { abstractSockets: ['@/tmp/.X11-unix/X0'] }],
  ['read-only-root', { writable: ['/tmp', '/workspace', '/etc'] }],
  ['tmp', { tmpBytes: 65 * 1024 * 1024 }],
  ['mount-flags', { executable: ['/tmp'] }],
  ['capabilities', { status: { ...sealed.status, CapBnd: '00000000a80425fb' } }],
  ['no-new-privileges', { status: { ...sealed.status, NoNewPrivs: '0' } }],
  ['seccomp', { inet: 'ECONNREFUSED' }],
  ['processes', { processes: [1, 2, 3, 4000] }],
  ['environment', { environment: ['GIVEN', 'ANTHROPIC_API_KEY'] }],
  ['environment', { initEnvironment: ['SERVICE_API_TOKEN'] }],
  ['environment', { descriptors: ['/etc/hostname'] }],
  ['files', { files: ['/bin', '/root'] }],
  ['files', { files: ['/etc/shadow'] }],
  ['files', { resolvers: ['10.255.255.53'] }],
  ['files', { resolvers: null }],
  ['tmp', { writable: ['/workspace'] }],
  ['devices', { devices: ['null', 'sda'] }],
  ['open-files-limit', { limits: { open_files: { soft: 1024, hard: 'unlimited' }, core_file_size_blocks: { soft: 0, hard: 0 } } }],
  ['open-files-limit', { limits: null }],
]

describe('the judge', () => {
  it('finds every control of a sealed sandbox effective', () => {
    assert.deepEqual(lacking({}), [])
  })

  for (const [wall, spoilt] of spoils) {
    it(`finds ${wall} missing with ${JSON.stringify(spoilt).slice(0, 80)}`, () => {
      assert.deepEqual(lacking(spoilt), [wall])
    })
  }

  it('counts what was not observed as missing', () => {
    assert.deepEqual(lacking({ status: null }).toSorted(), ['capabilities', 'no-new-privileges', 'seccomp'])
    assert.deepEqual(lacking({ mounts: null }).toSorted(), ['mount-flags', 'tmp'])
  })
})
