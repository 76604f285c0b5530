// The list of parts: valid by the official schema, the same for the same parts, and true about packages of Debian and npm.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { debianPackageOf, type Parts, renderParts } from '../src/write.ts'

const hash = (letter: string): string => letter.repeat(64)

const parts: Parts = {
  name: 'gatehouse-control-plane',
  version: '1.2.3',
  kind: 'container',
  node: { path: '/bin/node', sha256: hash('a'), versions: { node: '24.21.0', v8: '13.6', openssl: '3.5.4', modules: '137' } },
  libraries: [
    { path: '/lib/x/libc.so.6', sha256: hash('b'), debian: { name: 'libc6', version: '2.36-9+deb12u14', architecture: 'amd64' } },
    { path: '/lib/x/libown.so.1', sha256: hash('c'), debian: null },
  ],
  packages: [
    { name: '@hono/node-server', version: '2.1.8', license: 'MIT', programs: ['control-plane.mjs'] },
    { name: 'odd', version: '1.0.0', license: 'SEE LICENSE IN FILE', programs: ['a.mjs', 'b.mjs'] },
    { name: 'two', version: '1.0.0', license: '(MIT OR Apache-2.0)', programs: ['a.mjs'] },
    { name: 'none', version: '1.0.0', license: null, programs: ['a.mjs'] },
  ],
  files: [{ path: '/app/gateway.mjs', sha256: hash('d') }],
}

const faultsOf = (text: string): Promise<unknown> => new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)

interface Shown {
  readonly components: { readonly name: string; readonly purl?: string; readonly components?: { readonly name: string }[] }[]
}

describe('the list of parts', () => {
  it('is what the schema of CycloneDX asks for, and the validator sees what is not', async () => {
    assert.equal(await faultsOf(renderParts(parts)), null)
    assert.notEqual(await faultsOf(renderParts(parts).replace('"SHA-256"', '"SHA-257"')), null)
  })

  it('is the same text for the same parts in any order, and another one for others', () => {
    const text = renderParts(parts)
    assert.equal(renderParts({ ...parts, libraries: parts.libraries.toReversed() }), text)
    const serial = /urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}/
    assert.match(text, serial)
    const other = renderParts({ ...parts, files: [{ path: '/app/gateway.mjs', sha256: hash('e') }] })
    assert.notEqual(serial.exec(other)?.[0], serial.exec(text)?.[0])
  })

  it('names each part so that a scanner finds it', () => {
    const { components } = JSON.parse(renderParts(parts)) as Shown
    const purls = components.flatMap(({ purl }) => purl ?? [])
    assert.deepEqual(purls, [
      'pkg:generic/node@24.21.0',
      'pkg:deb/debian/libc6@2.36-9%2Bdeb12u14?arch=amd64',
      'pkg:npm/%40hono/node-server@2.1.8',
      'pkg:npm/odd@1.0.0',
      'pkg:npm/two@1.0.0',
      'pkg:npm/none@1.0.0',
    ])
    assert.deepEqual(
      components[0]?.components?.map(({ name }) => name),
      ['openssl', 'v8'],
    )
  })

  it('knows the Debian package of a shared object, whichever way its path is written', async () => {
    const [short, long] = [
      await debianPackageOf('/lib/x86_64-linux-gnu/libc.so.6'),
      await debianPackageOf('/usr/lib/x86_64-linux-gnu/libc.so.6'),
    ]
    assert.equal(short?.name, 'libc6')
    assert.deepEqual(long, short)
    assert.equal(await debianPackageOf('/proc/self/exe'), null)
  })
})
