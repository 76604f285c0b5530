// What the pictures show: a help desk with an agent that reads tickets, asked for more, and was told no.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProvider } from '@gatehouse/scripted-provider'
import { startUnit, type Unit } from '../unit.ts'
import { waitFor } from '../wait-for.ts'
import { fillEstate } from './estate.ts'

export const token = 'f'.repeat(64)

const asks = JSON.stringify({
  kind: 'mcp_access',
  after: { server: 'tickets', tools: ['search', 'read', 'close'] },
  reason: 'T-121 is about the printer of T-118. I was told to close it.',
})
const script = `
when still open
think I should look for them.
call tickets__search {"words":"printer open"}
---
say Two are open since Friday: T-118, the printer on floor 2, and T-121, which tells of the same printer.
when close T-121
call request_capability_change ${asks}
---
say I may read tickets, and not close them. I have asked for it: somebody has to approve.
`
const persona = `You answer the help desk of a small firm.
Read the ticket before you speak of it.
Never promise a day.
Be short and kind.`

export interface Scene {
  readonly unit: Unit
  /** A change of high risk, and one of a text: both wait. */
  readonly high: string
  readonly text: string
  readonly session: string
  close(): Promise<void>
}

interface Wanted {
  readonly kind: string
  readonly after: object
  readonly outcome?: 'approve' | 'reject'
}

/** Asked for and decided. */
const carry = async ({ client }: Unit, { kind, after, outcome = 'approve' }: Wanted): Promise<void> => {
  const { id } = await client.changes.submit({ kind, agentGroupID: 'support', after, requestedBy: 'cli:ada' })
  const reason = outcome === 'approve' ? 'Agreed on Monday.' : 'Not before it has read its tickets for a week.'
  await client.changes.decide(id, { outcome, decidedBy: 'cli:grace', reason })
}

/** Nothing of the checkout is seen on a page. */
const furnish = async (unit: Unit, desk: string): Promise<void> => {
  await fillEstate(unit, { folder: desk, sessions: 12 })
  const model = { provider: 'compatible', id: 'scripted' }
  for (const wanted of [
    { kind: 'agent_create', after: { id: 'support', name: 'Help desk', agent: 'model', model, persona } },
    { kind: 'mcp_access', after: { server: 'tickets', tools: ['search', 'read'] } },
    { kind: 'mcp_access', after: { server: 'tickets', tools: [] }, outcome: 'reject' },
    { kind: 'permissions', after: { limits: { modelTokensPerDay: 200_000, callsPerMinute: 30 } } },
    { kind: 'wiring', after: { channel: 'slack', address: 'C0HELPDESK', engage: 'mention', session: 'thread' } },
  ] as const)
    await carry(unit, wanted)
}

const talk = async ({ client }: Unit): Promise<void> => {
  for (const [text, heard] of [
    ['Which tickets of Friday are still open?', 'Two are open'],
    ['Please close T-121, it is the same printer.', 'I may read tickets'],
  ] as const) {
    await client.chat.send({ agentGroupID: 'support', text })
    await waitFor(`the agent to say "${heard}"`, 60_000, async () =>
      (await client.chat.messages('support')).messages.some((message) => message.text.startsWith(heard)),
    )
  }
}

export const openScene = async (flags: readonly string[]): Promise<Scene> => {
  const provider = await startProvider({ script, listen: 0 })
  const env = { SERVICE_API_TOKEN: token, SERVICE_MODEL_BASE_URL: `${provider.address}/compatible/v1` }
  const unit = await startUnit({ flags: ['--dev', '--rate-limit', 'off', ...flags], env, token })
  const desk = await mkdtemp(join(tmpdir(), 'help-desk-'))
  await furnish(unit, desk)
  await talk(unit)
  const { client } = unit
  const text = await client.changes.submit({
    kind: 'persona',
    agentGroupID: 'support',
    after: { instructions: persona.replace('Never promise a day.', 'Never promise a day or an hour.\nClose what is a duplicate.') },
    requestedBy: 'cli:ada',
    reason: 'Customers asked for hours, and got them.',
  })
  const high = (await client.changes.pending({ kind: 'mcp_access' })).items[0]?.id ?? ''
  return {
    unit,
    high,
    text: text.id,
    session: (await client.sessions.list({ agentGroupID: 'support' })).items[0]?.id ?? '',
    close: async () => {
      await unit.dispose()
      await provider.close()
      await rm(desk, { recursive: true })
    },
  }
}
