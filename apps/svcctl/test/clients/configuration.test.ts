// The files of MCP clients: an entry is added, and everything else in them stays as it is.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { toServiceError } from '@gatehouse/contracts'
import { type ClientName, clientNames, openConfiguration, writeConfiguration } from '../../src/clients/formats.ts'

const url = 'https://unit.example/mcp'
let home: string
before(() => {
  home = mkdtempSync(join(tmpdir(), 'svcctl-clients-'))
})
after(() => rmSync(home, { recursive: true, force: true }))

const open = (client: ClientName, more: { write?: boolean; force?: boolean; name?: string } = {}) =>
  openConfiguration({ client, name: 'gatehouse', url, write: true, force: false, environment: { HOME: home }, ...more })

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => toServiceError(error).code,
  )

test('prints a configuration with the address and the token for every client', async () => {
  for (const client of clientNames) {
    const text = (await open(client, { write: false })).textWith('s3cret')
    assert.ok(text.includes(url), client)
    assert.ok(text.includes('Bearer s3cret'), client)
  }
})

test('writes a file that only its owner may read, and keeps what was in it', async () => {
  for (const client of clientNames.filter((name) => name !== 'json')) {
    const { path, textWith } = await open(client)
    assert.ok(path !== undefined && path.startsWith(home), client)
    const isToml = client === 'codex'
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, isToml ? 'model = "some"\n' : '{"theme":"dark","mcpServers":{"other":{"command":"x"}}}', { mode: 0o644 })
    const text = (await open(client)).textWith('s3cret')
    await writeConfiguration(path, text)
    assert.equal(statSync(path).mode & 0o777, 0o600, client)
    const written = readFileSync(path, 'utf8')
    assert.ok(written.includes('Bearer s3cret'), client)
    assert.ok(written.includes(isToml ? 'model = "some"' : '"other"'), client)
    assert.notEqual(textWith('x'), written)
  }
})

test('replaces an entry of the same name only when told to', async () => {
  assert.equal(await codeOf(open('cursor')), 'conflict')
  assert.equal(await codeOf(open('codex')), 'conflict')
  assert.equal(await codeOf(open('cursor', { name: 'second' })), 'none')
  assert.ok((await open('cursor', { force: true })).textWith('newer').includes('Bearer newer'))
})

test('takes no file apart that it does not understand', async () => {
  const path = join(home, '.gemini/settings.json')
  writeFileSync(path, '{ // a comment\n}')
  assert.equal(await codeOf(open('gemini-cli')), 'malformed')
  assert.equal(readFileSync(path, 'utf8'), '{ // a comment\n}')
  writeFileSync(path, '{"mcpServers":[]}')
  assert.equal(await codeOf(open('gemini-cli')), 'malformed')
})

test('writes nothing for a client without a file of its own', async () => {
  assert.equal(await codeOf(open('json')), 'invalid')
})
