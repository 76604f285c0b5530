// Who may act, and the stop.
import * as v from 'valibot'
import { Reason } from '../../change.ts'
import { PutFile, RemovedFile } from '../../files.ts'
import { AgentGroupID, SessionID } from '../../ids.ts'
import { Freeze, MintedToken, NewToken, Principal, Token, TokenName } from '../../people.ts'
import { call } from '../edge.ts'
import { keeping, listOf, ofGroup, presented, reading } from './presented.ts'

/** Routes that end elsewhere than at the gateway and ask it first. */
export const permitRoutes = [
  'chat',
  'probe',
  'status',
  'metrics',
  'calls',
  'sessions',
  'models',
  'model-calls',
  'channels',
  'events',
  'cancel',
  'resume',
  'logs',
  'files',
  'files-put',
  'files-remove',
  'purge',
  'backup',
] as const
export type PermitRoute = (typeof permitRoutes)[number]

const WrittenReason = v.pipe(Reason, v.minLength(1, 'expected a reason'))

export const peopleCalls = {
  /** What changes something is journaled here, where it is known who asks. */
  permit: call(
    v.strictObject({
      ...presented,
      route: v.picklist(permitRoutes),
      agentGroupID: v.optional(AgentGroupID),
      session: v.optional(SessionID),
      /** What `files-put` and `files-remove` are about. */
      file: v.optional(v.union([PutFile, RemovedFile])),
    }),
    Principal,
    { patient: true },
  ),
  /** Closes a session: from then on nothing is allowed to it. Its sandbox is the runner's to end. */
  terminate: call(v.strictObject({ ...presented, session: SessionID, reason: v.optional(Reason) }), v.strictObject(keeping), {
    patient: true,
  }),
  tokens: call(v.strictObject({ ...presented }), listOf(Token), reading),
  createToken: call(v.strictObject({ ...presented, wanted: NewToken }), MintedToken, { patient: true }),
  revokeToken: call(v.strictObject({ ...presented, name: TokenName }), v.strictObject(keeping), { patient: true }),
  freezes: call(v.strictObject({ ...presented }), listOf(Freeze), reading),
  freeze: call(v.strictObject({ ...presented, ...ofGroup, reason: WrittenReason }), v.strictObject({ ...Freeze.entries, ...keeping }), {
    patient: true,
  }),
  unfreeze: call(v.strictObject({ ...presented, ...ofGroup, reason: WrittenReason }), v.strictObject({}), { patient: true }),
}
