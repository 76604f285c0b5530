// Requests for access to a tool server that add to the present grant of a group instead of replacing it.
import { type Change, type GrantView, isSameServer } from '@gatehouse/contracts'

interface AccessTerms {
  readonly tools: string[]
  readonly expiresAt?: string | undefined
  readonly maxCalls?: number | undefined
}

/** The grant that an applied request replaces, among the grants of one group. */
export function findPresentGrant(grants: readonly GrantView[], server: string): GrantView | undefined {
  return grants.find((grant) => isSameServer(grant.server, server) && grant.state !== 'revoked')
}

/**
 * The request with the tools and the terms of the present grant; terms of the request itself win. A grant that has expired or
 * is used up adds nothing. No tools means every tool, in the grant as in the request.
 */
export function addToGrant<T extends AccessTerms>(present: GrantView | undefined, request: T): T {
  if (present === undefined || present.expired || present.exhausted) return request
  const { expiresAt, maxCalls } = present
  const coversAll = present.tools.length === 0 || request.tools.length === 0
  const tools = coversAll ? [] : [...new Set([...present.tools, ...request.tools])]
  return { ...(expiresAt !== undefined && { expiresAt }), ...(maxCalls !== undefined && { maxCalls }), ...request, tools }
}

/** Whether the change was submitted while `present` was the grant. */
export function isBasedOn(change: Pick<Change, 'before'>, present: GrantView | undefined): boolean {
  const before: unknown = change.before?.['tools']
  const tools = Array.isArray(before) ? before.map(String) : undefined
  return JSON.stringify(tools?.toSorted()) === JSON.stringify(present?.tools.toSorted())
}
