// Flags that narrow a list of changes or of journal lines.
import { Kind, kindNames } from '@gatehouse/contracts'
import type { PendingWanted } from '@gatehouse/client'
import * as v from 'valibot'
import { Flags } from '@oclif/core'

export const filterFlags = {
  group: Flags.string({ summary: 'Of this agent group alone.', helpValue: 'ID' }),
  kind: Flags.string({ summary: 'Of this kind alone.', options: [...kindNames] }),
  principal: Flags.string({ summary: 'Of this principal alone.', helpValue: 'NAME' }),
  since: Flags.string({ summary: 'From then on, such as 2026-01-31T09:30:00Z.', helpValue: 'TIME' }),
  until: Flags.string({ summary: 'Up to then.', helpValue: 'TIME' }),
}

export interface Filter {
  readonly group?: string | undefined
  readonly kind?: string | undefined
  readonly principal?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export const filterOf = ({ group, kind, principal, since, until }: Filter): PendingWanted => ({
  agentGroupID: group,
  kind: v.parse(v.optional(Kind), kind),
  principal,
  since,
  until,
})
