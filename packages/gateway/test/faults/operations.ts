// What an operator does while the journal is at fault: acts that must wait for it, and acts that must not.
import { isServiceError, type SessionID } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { carry, createGroup, decide, read, submit, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { authorize, openSession, putServer, server } from '../fixtures/tools.ts'
import { context, type Unit } from '../fixtures/unit.ts'

export interface Stage {
  readonly held: readonly [approve: string, reject: string, withdraw: string]
  readonly session: SessionID
  /** The text of a named token. */
  readonly minted: string
}

const persona = (text: string) => ['persona', 'g', { instructions: text }] as const

/** What the operations are done to. */
export const prepare = async (unit: Unit): Promise<Stage> => {
  await createGroup(unit, 'g')
  await putServer(unit, 'sample')
  await carry(unit, ['mcp_access', 'g', { server: 'sample', tools: [] }])
  const { id: session } = await openSession(unit, 'g')
  const { token: minted } = await unit.gateway.controlPlane.createToken(
    { token, wanted: { name: 'ann', role: 'approver' } as never },
    context,
  )
  const [approve, reject, withdraw] = [await submit(unit, persona('a')), await submit(unit, persona('b')), await submit(unit, persona('c'))]
  return { held: [approve.id, reject.id, withdraw.id], session, minted }
}

type Operation = (unit: Unit, stage: Stage) => unknown

/** Each needs its line on disk first. */
export const waiting: Readonly<Record<string, Operation>> = {
  submit: (unit) => submit(unit, persona('d')),
  approve: (unit, { held }) => decide(unit, [held[0], 'approve']),
  withdraw: (unit, { held }) => unit.gateway.controlPlane.withdraw({ token, id: held[2] as never }, context),
  'put a server': (unit) => putServer(unit, 'second'),
  'remove a server': (unit) => unit.gateway.controlPlane.removeServer({ token, name: server('sample') }, context),
  'mint a token': (unit) => unit.gateway.controlPlane.createToken({ token, wanted: { name: 'bob', role: 'auditor' } as never }, context),
}

/** Each only takes power away. */
export const urgent: Readonly<Record<string, Operation>> = {
  freeze: (unit) => unit.gateway.controlPlane.freeze({ token, reason: 'the disk is dying' }, context),
  reject: (unit, { held }) => decide(unit, [held[1], 'reject']),
  terminate: (unit, { session }) => unit.gateway.controlPlane.terminate({ token, session }, context),
  'revoke a token': (unit) => unit.gateway.controlPlane.revokeToken({ token, name: 'ann' }, context),
}

/** The stage under which each urgent act is journaled. */
export const stages: Readonly<Record<string, string>> = {
  freeze: 'freeze',
  reject: 'reject',
  terminate: 'terminate',
  'revoke a token': 'token-revoke',
}

const holds = async (act: () => Promise<unknown>): Promise<boolean> => {
  try {
    await act()
    return true
  } catch (error) {
    if (isServiceError(error)) return false
    throw error
  }
}

const pending = async (unit: Unit) => (await unit.gateway.controlPlane.pending({ token, limit: 50 }, context)).items

/** Changes that wait although the journal does not know them. */
export const unaudited = async (unit: Unit): Promise<string[]> => {
  const submitted = new Set((await audit(unit)).flatMap(({ stage, changeID }) => (stage === 'submit' ? [changeID] : [])))
  return (await pending(unit)).flatMap(({ id }) => (submitted.has(id) ? [] : [id]))
}

/** What is true of the unit now, in words that a test can compare. */
export const facts = async (unit: Unit, { held, session, minted }: Stage): Promise<Record<string, unknown>> => {
  const { controlPlane } = unit.gateway
  const state = async (id: string): Promise<string> => (await read(unit, id)).state
  const waiting = (await pending(unit)).map(({ id }) => id)
  return {
    approve: await state(held[0]),
    reject: await state(held[1]),
    withdraw: await state(held[2]),
    waiting: waiting.filter((id) => held.includes(id)).length,
    others: waiting.filter((id) => !held.includes(id)).length,
    servers: (await controlPlane.servers({ token }, context)).items.map(({ name }) => name),
    frozen: (await controlPlane.freezes({ token }, context)).items.length > 0,
    allowed: (await authorize(unit, session, ['sample', 'echo'])).allowed,
    token: await holds(async () => controlPlane.pending({ token: sha256(minted), limit: 1 }, context)),
  }
}
