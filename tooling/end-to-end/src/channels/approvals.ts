// What a test of approvals in a channel needs of a unit: people whom a token names, and changes that wait.
import assert from 'node:assert/strict'
import type { ChannelName } from '@gatehouse/contracts'
import { post } from '../http.ts'
import type { Unit } from '../unit.ts'

export interface Person {
  /** Of the token. */
  readonly name: string
  readonly role: 'approver' | 'requester'
  readonly channel: ChannelName
  /** As the channel names them. */
  readonly users: readonly string[]
}

/** Resolves with the token. */
export const mintFor = async (unit: Unit, { name, role, channel, users }: Person): Promise<string> =>
  (await unit.client.tokens.create({ name, role, identities: users.map((user) => ({ channel, user })) })).token

export interface Asked {
  readonly kind: string
  readonly after: object
  readonly reason?: string
  /** Who asks; default: who runs the unit. */
  readonly token?: string
  /** Default: dev-agent. */
  readonly group?: string
}

/** Resolves with the id of a change that waits. */
export const submit = async (unit: Pick<Unit, 'address'>, asked: Asked): Promise<string> => {
  const { kind, after, reason, token, group = 'dev-agent' } = asked
  const body = { kind, agentGroupID: group, requestedBy: 'cli:tester', after, ...(reason !== undefined && { reason }) }
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const { status, json, text } = await post(`${unit.address}/v1/ui/config/change`, body, headers)
  assert.equal(status, 202, text)
  return String(json?.['id'])
}

/** Of medium risk. */
export const submitPersona = (unit: Pick<Unit, 'address'>, instructions: string, token?: string): Promise<string> =>
  submit(unit, { kind: 'persona', after: { instructions }, ...(token !== undefined && { token }) })

/** Of high risk. */
export const submitMemory = (unit: Unit): Promise<string> => submit(unit, { kind: 'permissions', after: { limits: { memoryMiB: 1024 } } })
