// Some of everything that a unit writes, done one after the other in this process; each answer is told, each refusal kept.
import { AgentGroupID, ConversationID, isServiceError, ServerName } from '@gatehouse/contracts'
import * as v from 'valibot'
import { context, type Opened, token } from './opened.ts'
import type { Said } from './said.ts'

const group = v.parse(AgentGroupID, 'g')

export interface Worked {
  /** Codes of the acts that were refused. */
  readonly refused: string[]
  /** What was refused in no way that a caller could act upon. */
  readonly unclean: string[]
}

type Note = (line: Said) => void

const change = async ({ gateway }: Opened, note: Note, wanted: { kind: string; after: object }): Promise<void> => {
  const submission = { kind: wanted.kind, agentGroupID: group, after: wanted.after }
  const { id } = await gateway.controlPlane.submit({ token, submission }, context)
  note({ to: 'submit', id })
  const { state } = await gateway.controlPlane.decide({ token, id, outcome: 'approve', decidedBy: 'someone' }, context)
  if (state === 'applied' || state === 'approved') note({ to: state === 'applied' ? 'apply' : 'approve', id })
  else note({ to: 'fail', id })
}

const administer = ({ gateway }: Opened, note: Note): readonly (() => Promise<void>)[] => {
  const { controlPlane } = gateway
  const name = v.parse(ServerName, 'second')
  const entry = { transport: 'stdio', command: '/bin/cat', args: [], env: {} }
  return [
    async () => (await controlPlane.putServer({ token, name, entry }, context), note({ to: 'put', id: name })),
    async () => (
      await controlPlane.createToken({ token, wanted: { name: 'ann', role: 'auditor' } }, context),
      note({ to: 'mint', id: 'ann' })
    ),
    async () => (await controlPlane.revokeToken({ token, name: 'ann' }, context), note({ to: 'revoke', id: 'ann' })),
    async () => (await controlPlane.removeServer({ token, name }, context), note({ to: 'remove', id: name })),
  ]
}

const send = async ({ runner }: Opened, note: Note, index: number): Promise<void> => {
  const conversationId = v.parse(ConversationID, `talk-${index % 2}`)
  const { messageId } = await runner.controlPlane.send({ agentGroupID: group, conversationId, text: `message ${index}` }, context)
  note({ to: 'message', id: messageId })
}

/** As the broker does it. */
const call = async ({ records, calls }: Opened, note: Note, index: number): Promise<void> => {
  const slot = records.begin({ id: `call-${index}` })
  await calls.write({ id: `call-${index}`, op: 'call', status: 'ok' }, slot)
  note({ to: 'call', id: `call-${index}` })
}

export const work = async (opened: Opened, note: Note): Promise<Worked> => {
  const worked: Worked = { refused: [], unclean: [] }
  const act = async (one: () => Promise<void>): Promise<void> => {
    try {
      await one()
    } catch (error) {
      if (isServiceError(error)) worked.refused.push(error.code)
      else worked.unclean.push(String(error))
    }
  }
  await act(() => change(opened, note, { kind: 'agent_create', after: { id: 'g', name: 'g', agent: 'mock' } }))
  const acts = administer(opened, note)
  for (let index = 0; index < acts.length; index += 1) {
    await act(() => change(opened, note, { kind: 'persona', after: { instructions: `number ${index}` } }))
    await act(() => send(opened, note, index))
    await act(() => call(opened, note, index))
    await act(acts[index]!)
  }
  await act(async () => {
    await opened.gateway.controlPlane.freeze({ token, reason: 'the end' }, context)
    note({ to: 'freeze', id: 'unit' })
  })
  return worked
}
