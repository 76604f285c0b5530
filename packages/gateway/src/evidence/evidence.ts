// What an approver must see beside the change, and who can tell it.
import type { Described, Heard, PackageName, ServerName } from '@gatehouse/contracts'

export { type Described, Drift, Evidence, type Heard } from '@gatehouse/contracts'

/** What an approver must be shown, by who can tell. */
export type Wanted =
  /** Declarations of a tool server, from the broker. No tools: all that it declares. */
  | { readonly from: 'broker'; readonly server: ServerName; readonly tools: readonly string[] }
  /** Paths of the host, from the runner. */
  | { readonly from: 'runner'; readonly sources: readonly string[] }
  /** A tree of packages, from the runner, who asks the registry. */
  | { readonly from: 'registry'; readonly names: readonly PackageName[] }
  /** Nobody is asked. */
  | { readonly from: 'change'; readonly evidence: Described | Heard }

/** @param at when it was seen */
export const ageOf = (at: string, now: number): number => Math.max(0, Math.round((now - Date.parse(at)) / 1000))
