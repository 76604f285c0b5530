// `gatehouse --demo` is the demonstration of the specification: its page, followed word for word on a real container engine.
// Profile: rest. Follows a page on a real container engine; README and tutorial are in the default profile.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient } from '@gatehouse/client'
import { demoToken } from '@gatehouse/contracts'
import { follow } from '../../src/documents/follow.ts'
import { unitIdOf } from '../../src/run-directory.ts'
import { root } from '../../src/unit.ts'
import { lacking } from '../fixtures/container-world.ts'

const page = 'docs/how-to/demonstration.md'
const skip = await lacking('docker')

test('an offline agent echoes in a container, and gate, queues and custody of credentials are as always', { skip }, async () => {
  // Other units of this machine have containers, too.
  const own = (home: string): string => `label=gatehouse.unit=${unitIdOf({ stateDir: join(home, '.local/state/gatehouse-demo') })}`
  await follow(page, { places: { 'label=gatehouse.unit': own } }, async (address) => {
    await assert.rejects(createClient({ address }).status(), /token/)
    const unit = createClient({ address, token: demoToken })
    const { mode, open, sandbox, mcp } = await unit.status()
    assert.deepEqual(
      { mode, open, driver: sandbox.driver, mcp: mcp.enabled },
      { mode: 'demo', open: false, driver: 'container', mcp: false },
    )
    const { messages } = await unit.chat.messages('mock-agent')
    assert.deepEqual(
      messages.map(({ from, text }) => `${from}: ${text}`),
      ['user: the word of the day is petrichor', 'agent: echo: the word of the day is petrichor'],
    )
  })
})

test('the page says of the demonstration what the specification says, and names the token as it is', async () => {
  const text = (await readFile(join(root, page), 'utf8')).replaceAll(/\s+/g, ' ')
  for (const words of [
    'An offline mock agent replies with its input echoed back',
    'without the hardened seal',
    'the approval gateway, the encrypted queues, and credentials that stay on the host',
    demoToken,
  ])
    assert.ok(text.includes(words), words)
})
