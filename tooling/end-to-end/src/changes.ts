// A change as a person brings it about: asked for, looked at, approved, and followed until every session has it.
import assert from 'node:assert/strict'
import { post } from './http.ts'
import type { Unit } from './unit.ts'
import { waitFor } from './wait-for.ts'

const patience = 90_000

interface Wish {
  readonly kind: string
  readonly after: object
  readonly group?: string
}

/** Resolves with the change's id when it was applied. */
export const applyChange = async (unit: Unit, { kind, after, group = 'dev-agent' }: Wish): Promise<string> => {
  const body = { kind, agentGroupID: group, requestedBy: 'cli:tester', after }
  const { status, json, text } = await post(`${unit.address}/v1/ui/config/change`, body, unit.bearer)
  assert.equal(status, 202, text)
  const id = String(json?.['id'])
  const { digest } = await unit.client.changes.show(id)
  const decided = await post(`${unit.address}/v1/changes/${id}/decision`, { outcome: 'approve', decidedBy: 'someone', digest }, unit.bearer)
  assert.equal(decided.status, 200, decided.text)
  return id
}

export const settled = (unit: Unit, id: string): Promise<boolean> =>
  waitFor(`${id} to have reached every session`, patience, async () => {
    const { conditions } = await unit.client.changes.show(id)
    assert.deepEqual(
      conditions.filter(({ status }) => status === 'failed'),
      [],
    )
    return conditions.every(({ status }) => status === 'ready')
  })

/** Turns a built-in tool on that a group does not have from the start. */
export const allowTool = async (unit: Unit, tool: string, group = 'dev-agent'): Promise<void> => {
  const tools = (await unit.client.groups.list()).items.find(({ id }) => id === group)?.tools ?? []
  await settled(unit, await applyChange(unit, { kind: 'tools', after: { enabled: [...tools, tool] }, group }))
}

export const scriptOf = (code: string, more: object = {}): string => `tool:run_script ${JSON.stringify({ code, ...more })}`
