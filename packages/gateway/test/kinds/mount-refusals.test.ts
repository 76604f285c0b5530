// What is refused of mounts: by its name as it was given, and by where the runner found that it leads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mount } from '@gatehouse/contracts'
import { makeGroup, makeContext, refusalOf } from '../fixtures/change-context.ts'
import { testRefusals } from './refused.ts'

const mount = (source: unknown, more: object = {}) => ({ mounts: [{ source, target: '/mnt/data', mode: 'ro', ...more }] })

const found = (source: string, sighting: object) => ({
  evidence: { status: 'sighted' as const, at: new Date(0).toISOString(), age: 0, mounts: [{ source, ...sighting }] },
})
const directory = { type: 'directory' as const, device: '1', inode: '2', owner: 0, mode: '755' }
const mountElsewhere = (source: string, mode: 'ro' | 'rw', real?: string) => ({
  context: { otherGroupMounts: [{ source, target: '/mnt/other', mode, real }] },
})
const anywhere = { context: { config: { ...makeContext().config, mountAllow: ['/'] } } }

testRefusals('mounts', [
  ['nothing', undefined, '/after'],
  ['no list', {}, '/after/mounts'],
  ['a relative source', mount('data'), '/after/mounts/0/source'],
  ['a source with NUL', mount('/srv/a\0b'), '/after/mounts/0/source'],
  ['a target elsewhere', mount('/srv/a', { target: '/etc' }), '/after/mounts/0/target'],
  ['a target that climbs', mount('/srv/a', { target: '/mnt/../etc' }), '/after/mounts/0/target'],
  ['an unknown mode', mount('/srv/a', { mode: 'rwx' }), '/after/mounts/0/mode'],
  [
    'more than sixteen',
    { mounts: Array.from({ length: 17 }, (_, n) => ({ source: `/srv/${n}`, target: `/mnt/${n}`, mode: 'ro' })) },
    '/after/mounts',
  ],
  ['a target twice', { mounts: [...mount('/srv/a').mounts, ...mount('/srv/b').mounts] }, '/after/mounts'],
  ['a source twice', { mounts: [...mount('/srv/a').mounts, ...mount('/srv/a', { target: '/mnt/b' }).mounts] }, 'mount-twice'],
  ['a source that climbs', mount('/srv/a/../../etc'), 'mount-path-unclear'],
  ['a source with a dot in its way', mount('/srv/./a'), 'mount-path-unclear'],
  ['a source with an empty part', mount('/srv//a'), 'mount-path-unclear'],
  ['a source with a slash at its end', mount('/srv/a/'), 'mount-path-unclear'],
  ['the whole host', mount('/'), 'mount-of-system', anywhere],
  ['/proc', mount('/proc'), 'mount-of-system', anywhere],
  ['what is below /sys', mount('/sys/kernel'), 'mount-of-system', anywhere],
  ['a device', mount('/dev/sda'), 'mount-of-system', anywhere],
  ['a socket of the host', mount('/run/docker.sock'), 'mount-of-system', anywhere],
  ['the same under its old name', mount('/var/run/docker.sock'), 'mount-of-system', anywhere],
  ['a path outside the allowed ones', mount('/home/me'), 'mount-not-allowed'],
  ['a path that only begins like an allowed one', mount('/srvdata'), 'mount-not-allowed'],
  [
    'any path where none is allowed',
    mount('/srv/a'),
    'mount-not-allowed',
    { context: { config: { ...makeContext().config, mountAllow: [] } } },
  ],
  ['the state of the unit', mount('/srv/state'), 'mount-of-unit'],
  ['what is below the state of the unit', mount('/srv/state/keys'), 'mount-of-unit'],
  ['what the state of the unit is below of', mount('/srv'), 'mount-of-unit'],
  ['what the run directory is below of', mount('/srv/unit'), 'mount-of-unit'],
  ['the directory of the catalog', mount('/data'), 'mount-of-unit'],
  ['a path where there is nothing', mount('/srv/a'), 'mount-missing', found('/srv/a', {})],
  ['a socket', mount('/srv/a'), 'mount-special', found('/srv/a', { ...directory, real: '/srv/a', type: 'socket' })],
  ['a device below an allowed path', mount('/srv/a'), 'mount-special', found('/srv/a', { ...directory, real: '/srv/a', type: 'other' })],
  ['a link out of the allowed paths', mount('/srv/a'), 'mount-not-allowed', found('/srv/a', { ...directory, real: '/home/me' })],
  ['a link to the state of the unit', mount('/data/a'), 'mount-of-unit', found('/data/a', { ...directory, real: '/srv/state' })],
  [
    'a mount within one that is written',
    { mounts: [...mount('/srv/a', { mode: 'rw' }).mounts, ...mount('/srv/a/b', { target: '/mnt/b' }).mounts] },
    'mount-within-written',
  ],
  ['a mount within what another group writes', mount('/srv/a/b'), 'mount-within-written', mountElsewhere('/srv/a', 'rw')],
  [
    'a mount to be written around that of another group',
    mount('/srv/a', { mode: 'rw' }),
    'mount-within-written',
    mountElsewhere('/srv/a/b', 'ro'),
  ],
  [
    'a link into what another group writes',
    mount('/srv/l'),
    'mount-within-written',
    { ...found('/srv/l', { ...directory, real: '/srv/a/b' }), ...mountElsewhere('/srv/a', 'rw') },
  ],
  [
    'a mount within where a link leads that another group writes through',
    mount('/srv/a/b'),
    'mount-within-written',
    mountElsewhere('/srv/l', 'rw', '/srv/a'),
  ],
  ['a link to the whole host', mount('/srv/a'), 'mount-of-system', found('/srv/a', { ...directory, real: '/' })],
  ['a link to /proc', mount('/srv/a'), 'mount-of-system', found('/srv/a', { ...directory, real: '/proc/1/root' })],
])

test('mounts within one that is only read, at the same path as another, or beside one that is written are let through', () => {
  const worlds: [string, 'ro' | 'rw'][] = [
    ['/srv/a', 'ro'],
    ['/srv/a/b', 'rw'],
    ['/srv/a/bc', 'rw'],
    ['/srv/a/b/c', 'ro'],
  ]
  for (const [source, mode] of worlds)
    assert.equal(refusalOf('mounts', mount('/srv/a/b'), { context: makeContext(mountElsewhere(source, mode).context) }), undefined, source)
})

test('what stands already is no reason against taking another mount away', () => {
  const both = [...mount('/srv/a', { mode: 'rw' }).mounts, ...mount('/srv/a/b', { target: '/mnt/b' }).mounts]
  const group = makeGroup({ mounts: [...both, ...mount('/srv/c', { target: '/mnt/c' }).mounts] as Mount[] })
  assert.equal(refusalOf('mounts', { mounts: both }, { context: makeContext({ group }) }), undefined)
})
