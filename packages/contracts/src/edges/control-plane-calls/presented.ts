// What every call of a person carries, and the shape of a page.
import * as v from 'valibot'
import { AgentGroupID, Digest, Time } from '../../ids.ts'

/** SHA-256 of the presented token; null when none was presented, which only an open unit accepts. */
export const presented = { token: v.nullable(Digest) }
export const page = { limit: v.number(), cursor: v.optional(v.string()) }

export const listOf = /* @__NO_SIDE_EFFECTS__ */ <S extends v.GenericSchema>(item: S) =>
  v.strictObject({ items: v.array(item), nextCursor: v.optional(v.string()) })

/** From `since` on, up to and without `until`. */
export const span = { since: v.optional(Time), until: v.optional(Time) }
export const ofGroup = { agentGroupID: v.optional(AgentGroupID) }
/** Large, and worth waiting for a gateway that comes back. */
export const reading = { large: true, patient: true } as const
/** Of an act that takes power away: it holds, and is on no disk yet, so that it ends with the gateway. */
export const keeping = { kept: v.optional(v.literal(false)) }
