// One act after another for each kind of change and each act of an operator: what is there before, and what is then done.
import type { ChangeID } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { mint } from '../fixtures/crowd.ts'
import { carry, createGroup, decide, read, submit, token, type Wanted } from '../fixtures/people.ts'
import { putServer, server } from '../fixtures/tools.ts'
import { context, type Unit } from '../fixtures/unit.ts'

export type Say = (line: Readonly<Record<string, string>>) => void

export interface Scenario {
  prepare(unit: Unit): Promise<void>
  run(unit: Unit, say: Say): Promise<void>
}

const nothing = async (): Promise<void> => {}
const withGroup = async (unit: Unit): Promise<void> => void (await createGroup(unit, 'g'))
const withServer = async (unit: Unit): Promise<void> => {
  await withGroup(unit)
  await putServer(unit, 'sample')
}
const withGrant = async (unit: Unit): Promise<void> => {
  await withServer(unit)
  await carry(unit, ['mcp_access', 'g', { server: 'sample', tools: ['echo', 'add'] }])
}

/** Submitted, then decided; each answer is said. */
const change =
  (wanted: Wanted, outcome: 'approve' | 'reject' = 'approve') =>
  async (unit: Unit, say: Say): Promise<void> => {
    const { id } = await submit(unit, wanted)
    say({ submitted: id })
    const { state } = await decide(unit, [id, outcome])
    say({ decided: id, state })
  }

const scenario = (prepare: Scenario['prepare'], wanted: Wanted): Scenario => ({ prepare, run: change(wanted) })

const entry = { transport: 'stdio', command: '/bin/cat', args: [], env: { TOKEN: 'a value that no journal shows' } }

const operator: Scenario = {
  prepare: withServer,
  run: async (unit, say) => {
    const { controlPlane } = unit.gateway
    await controlPlane.putServer({ token, name: server('second'), entry }, context)
    say({ put: 'second' })
    await controlPlane.removeServer({ token, name: server('sample') }, context)
    say({ removed: 'sample' })
    await controlPlane.createToken({ token, wanted: { name: 'ann', role: 'approver' } as never }, context)
    say({ minted: 'ann' })
    await controlPlane.revokeToken({ token, name: 'ann' }, context)
    say({ revoked: 'ann' })
    await controlPlane.freeze({ token, reason: 'a drill' }, context)
    say({ frozen: 'unit' })
    await controlPlane.unfreeze({ token, reason: 'the drill is over' }, context)
    say({ lifted: 'unit' })
  },
}

/** Approved under a freeze, and stopped before it is lifted. */
const stopped = (stop: (unit: Unit, id: ChangeID) => Promise<{ readonly state: string }>): Scenario => ({
  prepare: withGroup,
  run: async (unit, say) => {
    const { controlPlane } = unit.gateway
    await controlPlane.freeze({ token, reason: 'a drill' }, context)
    const { id } = await submit(unit, ['persona', 'g', { instructions: 'a' }])
    await decide(unit, [id, 'approve'])
    const { state } = await stop(unit, id)
    say({ decided: id, state })
    await controlPlane.unfreeze({ token, reason: 'the drill is over' }, context)
    say({ lifted: 'unit' })
  },
})

/** Approved under a freeze by a token that is revoked before it is lifted. */
const abandoned: Scenario = {
  prepare: withGroup,
  run: async (unit, say) => {
    const { controlPlane } = unit.gateway
    const ann = await mint(unit, { name: 'ann', role: 'approver' })
    await controlPlane.freeze({ token, reason: 'a drill' }, context)
    const { id } = await submit(unit, ['persona', 'g', { instructions: 'a' }])
    await ann.decide(id, 'approve')
    await controlPlane.revokeToken({ token, name: 'ann' }, context)
    say({ revoked: 'ann', abandoned: id })
    await controlPlane.unfreeze({ token, reason: 'the drill is over' }, context)
    await waitFor(async () => (await read(unit, id)).state !== 'approved', { what: 'the change to be held again' })
    say({ decided: id, state: 'held' })
  },
}

const withdrawn: Scenario = {
  prepare: withGroup,
  run: async (unit, say) => {
    const { id } = await submit(unit, ['persona', 'g', { instructions: 'a' }])
    say({ submitted: id })
    const { state } = await unit.gateway.controlPlane.withdraw({ token, id }, context)
    say({ decided: id, state })
  },
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  agent_create: scenario(nothing, ['agent_create', 'g', { id: 'g', name: 'g', agent: 'mock', persona: 'kind' }]),
  agent_remove: scenario(withGrant, ['agent_remove', 'g', {}]),
  persona: scenario(withGroup, ['persona', 'g', { instructions: 'Be brief.' }]),
  tools: scenario(withGroup, ['tools', 'g', { enabled: ['read_file', 'run_script'] }]),
  wiring: scenario(withGroup, ['wiring', 'g', { channel: 'slack', address: 'C1', engage: 'mention', session: 'thread' }]),
  permissions: scenario(withGroup, ['permissions', 'g', { limits: { memoryMiB: 256 }, members: [{ channel: 'slack', user: 'U1' }] }]),
  mounts: scenario(withGroup, ['mounts', 'g', { mounts: [{ source: '/srv/data', target: '/mnt/data', mode: 'ro' }] }]),
  packages: scenario(withGroup, ['packages', 'g', { npm: [] }]),
  mcp_access: scenario(withServer, ['mcp_access', 'g', { server: 'sample', tools: ['echo'], maxCalls: 5 }]),
  mcp_revoke: scenario(withGrant, ['mcp_revoke', 'g', { server: 'sample', tools: ['add'] }]),
  mcp_register: scenario(withServer, ['mcp_register', 'g', { name: 'new', ...entry }]),
  'a rejection': { prepare: withGroup, run: change(['persona', 'g', { instructions: 'Be loud.' }], 'reject') },
  'a withdrawal': withdrawn,
  'a rejection of what was approved': stopped((unit, id) => decide(unit, [id, 'reject'])),
  'a withdrawal of what was approved': stopped(async ({ gateway }, id) => gateway.controlPlane.withdraw({ token, id }, context)),
  'an approval whose token is revoked': abandoned,
  'acts of an operator': operator,
}
