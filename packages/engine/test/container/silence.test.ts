// Output of several Docker client releases without a responding daemon, and the resulting message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unresponsiveReason } from '../../src/container-client/client.ts'

const socket = 'unix:///var/run/docker.sock'
const cases: readonly [release: string, printed: string, reason: string, forbidden: boolean][] = [
  [
    '20.10',
    'template: :1:2: executing "" at <.ServerVersion>: reflect: indirection through nil pointer to embedded struct field Info',
    'has no responding daemon',
    false,
  ],
  [
    '28.2',
    `Cannot connect to the Docker daemon at ${socket}. Is the docker daemon running?`,
    `has no responding daemon at ${socket}`,
    false,
  ],
  [
    '29',
    `failed to connect to the docker API at ${socket}; check if the path is correct and if the daemon is running: dial unix /var/run/docker.sock: connect: no such file or directory`,
    `has no responding daemon at ${socket}`,
    false,
  ],
  [
    '20.10, for a stranger',
    `Got permission denied while trying to connect to the Docker daemon socket at ${socket}: Get "http://%2Fvar%2Frun%2Fdocker.sock/v1.41/info": dial unix /var/run/docker.sock: connect: permission denied`,
    `has a daemon at ${socket} that this user may not access`,
    true,
  ],
  ['any, in no time', 'Command timed out after 60000 milliseconds: docker info', 'has no responding daemon', false],
]

for (const [release, printed, reason, forbidden] of cases) {
  test(`the output of client ${release} is explained`, () => assert.deepEqual(unresponsiveReason(printed), { reason, forbidden }))
}
