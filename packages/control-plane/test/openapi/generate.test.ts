// The document: what is committed, what is served and what is routed are the same.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { codes } from '@gatehouse/contracts'
import { documentedPath } from '../../src/openapi/operation.ts'
import { generateOpenApi } from '../../src/service.ts'
import { createTestUnit } from '../fixtures/unit.ts'

interface Described {
  readonly summary?: string
  readonly security?: object[]
  readonly responses: Record<string, { description: string }>
}
type Paths = Record<string, Record<string, Described>>

const committed = new URL('../../../../docs/reference/openapi.json', import.meta.url)
const text = `${JSON.stringify(await generateOpenApi(), null, 2)}\n`
const document = JSON.parse(text) as { openapi: string; paths: Paths; components: { schemas: object } }
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
)

const metadata = '/.well-known/oauth-protected-resource'
const isOpen = new Set([
  '/',
  '/ui',
  '/ui/',
  '/ui/{path}',
  '/healthz',
  '/readyz',
  '/v1/webhooks',
  metadata,
  `${metadata}/mcp`,
  '/v1/oauth/callback',
  '/v1/oauth/client.json',
])

test('openapi is what is committed', async () => {
  if (process.env.UPDATE === '1') await writeFile(committed, text)
  const found: unknown = JSON.parse(await readFile(committed, 'utf8'))
  assert.deepEqual(document, found, 'the routes have moved: run this test with UPDATE=1 and commit docs/reference/openapi.json')
})

test('is served as it is committed, behind the token', async () => {
  const { ask } = createTestUnit()
  const answer = await ask('GET', '/v1/openapi.json')
  assert.equal(`${JSON.stringify(answer.json(), null, 2)}\n`, text)
  assert.equal((await ask('GET', '/v1/openapi.json', { headers: { authorization: null } })).status, 401)
})

test('describes every route that is registered, and no other', () => {
  const { app } = createTestUnit()
  const registered = new Set(
    app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${documentedPath(path)}`),
  )
  assert.deepEqual(operations.map(({ name }) => name).toSorted(), [...registered].toSorted())
})

test('says of every operation what it is for, who may call it, and how it fails', () => {
  assert.equal(document.openapi, '3.1.0')
  for (const { name, path, operation } of operations) {
    assert.ok(operation.summary, name)
    const open = isOpen.has(path)
    assert.deepEqual(operation.security, open ? [] : [{ bearer: [] }], name)
    assert.equal('401' in operation.responses, !open || path === '/v1/webhooks', name)
    for (const status of ['400', '403', '500']) assert.ok(status in operation.responses, `${name} ${status}`)
  }
})

test('refers to nothing that it does not define', () => {
  const defined = new Set(Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`))
  for (const [, reference] of text.matchAll(/"\$ref": "([^"]+)"/g)) assert.ok(defined.has(reference ?? ''), reference)
})

test('names codes of the table alone', () => {
  const named = operations.flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap(({ description }) => description.match(/(?<=`)[a-z-]+(?=`: )/g) ?? []),
  )
  assert.ok(named.length > 100)
  for (const code of named) assert.ok(code in codes, code)
})
