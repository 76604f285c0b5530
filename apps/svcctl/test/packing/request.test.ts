// What mcp pack takes: three registries, and the command lines of clients; and what an entry of a published image runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PulledImage } from '@gatehouse/engine'
import { programOf } from '../../src/packing/oci.ts'
import { parseRequest } from '../../src/packing/request.ts'

test('takes a package or an image by its registry', () => {
  for (const [text, kind, spec] of [
    ['npm:@scope/server@1.2.3', 'npm', '@scope/server@1.2.3'],
    ['pypi:mcp-server-time@2026.1.1', 'pypi', 'mcp-server-time@2026.1.1'],
    ['oci:registry.example:5000/a/b@sha256:00', 'oci', 'registry.example:5000/a/b@sha256:00'],
  ])
    assert.deepEqual(parseRequest(text ?? ''), { kind, spec, bin: undefined, args: [] })
})

test('rewrites the command line of a client, with its program and its arguments', () => {
  assert.deepEqual(parseRequest("uvx --from 'tools[x]==1.0' serve --zone 'Europe/Berlin'"), {
    kind: 'pypi',
    spec: 'tools[x]@1.0',
    bin: 'serve',
    args: ['--zone', 'Europe/Berlin'],
  })
  assert.deepEqual(parseRequest('npx -y server@1.0.0 /data'), { kind: 'npm', spec: 'server@1.0.0', bin: undefined, args: ['/data'] })
  assert.deepEqual(parseRequest('docker run -i --rm a/b:1 serve'), { kind: 'oci', spec: 'a/b:1', bin: undefined, args: ['serve'] })
})

for (const text of ['server@1.2.3', 'git:x', '', 'python server.py', 'pip:a@1'])
  test(`refuses ${JSON.stringify(text)} and says what is expected`, () => {
    assert.throws(() => parseRequest(text), { code: 'invalid', detail: /npm:.*pypi:.*oci:/ })
  })

const image: PulledImage = {
  engine: 'docker',
  image: 'a@sha256:00',
  id: 'sha256:00',
  platform: 'linux/amd64',
  user: '',
  entrypoint: ['/bin/serve'],
  command: ['--stdio'],
  variables: [],
  labels: {},
  bytes: 1,
}

test('an entry of an image runs what docker run would', () => {
  const run = (entry: string | undefined, ...args: string[]) => programOf(image, { entry, args })
  assert.deepEqual(run(undefined), { command: '/bin/serve', args: ['--stdio'] })
  assert.deepEqual(run(undefined, '-x'), { command: '/bin/serve', args: ['-x'] })
  assert.deepEqual(run('/bin/other'), { command: '/bin/other', args: [] })
  assert.throws(() => programOf({ ...image, entrypoint: [], command: [] }, { entry: undefined, args: [] }), {
    code: 'invalid',
    detail: /names none/,
  })
})
