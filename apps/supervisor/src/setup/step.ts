// One thing of the host that a unit rests on and that root alone can make: looked at, made, and taken away again.
import type { DisksWanted } from './disks-wanted.ts'

export interface Site {
  readonly stateDir: string
  /** Whose the state directory is. */
  readonly owner: { readonly uid: number; readonly gid: number }
  /** Where the user namespace of a unit without root is pinned; null where it has none. */
  readonly userNamespace: string | null
  /** Disks for groups; none: they are not looked at. */
  readonly disks: readonly DisksWanted[]
  readonly disksDir: string
  /** `/etc`, but in tests. */
  readonly etc: string
  /** `/dev`, but in tests. */
  readonly dev: string
  /** What is kept until the next boot: `/run/gatehouse-setup`, but in tests. */
  readonly run: string
}

export type Condition =
  | { readonly state: 'ready'; readonly says: string }
  | { readonly state: 'lacking'; readonly says: string }
  /** Somebody must decide: nothing is changed. */
  | { readonly state: 'blocked'; readonly says: string }

export interface Step {
  readonly name: string
  /** Default: always. What is not wanted is neither looked at nor made; taken away it is all the same. */
  isWanted?(site: Site): boolean
  /** Changes nothing. */
  look(site: Site): Promise<Condition>
  /** Called where it lacks. */
  make(site: Site): Promise<void>
  /** Called where it is blocked: takes back what is there and would be unsafe. */
  withdraw?(site: Site): Promise<void>
  /** Takes away what `make` made and nothing else; says what stays, if something does. */
  remove(site: Site): Promise<string | undefined>
}
