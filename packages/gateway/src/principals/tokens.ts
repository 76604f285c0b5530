// The named tokens in memory, by the digest of their text. The text itself is nowhere.
import { Digest, Token } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'

export interface KnownToken {
  readonly token: Token
  readonly digest: Digest
}

export interface Tokens {
  find(digest: string): KnownToken | undefined
  named(name: string): KnownToken | undefined
  /** By name. */
  all(): Token[]
  add(known: KnownToken): void
  /** For good: what is read later does not bring it back. */
  revoke(known: KnownToken): void
  load(rows: Rows): Promise<void>
}

interface TokenRow {
  readonly digest: string
  readonly record: string
}

/** A map is no oracle here: its keys are hashes of 32 random bytes, which nobody can grope for. */
export const createTokens = (): Tokens => {
  const known = new Map<string, KnownToken>()
  const revoked = new Set<string>()
  const named = (name: string): KnownToken | undefined => [...known.values()].find(({ token }) => token.name === name)
  const add = (found: KnownToken): void => {
    if (!revoked.has(found.digest)) known.set(found.digest, found)
  }
  return {
    find: (digest) => known.get(digest),
    named,
    all: () => [...known.values()].map(({ token }) => token).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    add,
    revoke: ({ digest }) => {
      revoked.add(digest)
      known.delete(digest)
    },
    load: async (rows) => {
      const found = await rows.all<TokenRow>('SELECT digest, record FROM tokens')
      known.clear()
      for (const row of found) add({ digest: v.parse(Digest, row.digest), token: v.parse(Token, JSON.parse(row.record)) })
    },
  }
}
