// Named tokens in memory by digest, and when each was last used.
import { clientRole, Digest, Token, TokenName } from '@gatehouse/contracts'
import type { Rows, Store, Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import type { Projection, Projections } from '../ledger/projection.ts'
import { clientPlace } from './sessions.ts'

export interface KnownToken {
  readonly token: Token
  readonly digest: Digest
}

export interface Tokens {
  find(digest: string): KnownToken | undefined
  named(name: string): KnownToken | undefined
  /** All tokens, sorted by name. */
  all(): Token[]
  add(known: KnownToken): void
  /** Revokes permanently: loading does not add it again. */
  revoke(known: KnownToken): void
  load(rows: Rows): Promise<void>
}

interface TokenRow {
  readonly digest: string
  readonly record: string
}

/** Lookup need not be constant-time: keys are hashes of 32 random bytes. */
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

/** The last use of each token, in memory and saved periodically, so requests do not wait for it. */
export interface TokenUses {
  note(name: string, at: string): void
  of(name: string): string | undefined
  forget(name: string): void
  load(rows: Rows): Promise<void>
  save(store: Store): Promise<void>
}

export const createTokenUses = (): TokenUses => {
  const uses = new Map<string, string>()
  const unsaved = new Set<string>()
  const write = (store: Store, names: readonly string[]): Promise<void> =>
    store.write(async (tx) => {
      for (const name of names) {
        await tx.run(
          `INSERT INTO token_uses (name, at) SELECT name, ? FROM tokens WHERE name = ?
           ON CONFLICT (name) DO UPDATE SET at = excluded.at`,
          [uses.get(name) ?? null, name],
        )
      }
    })
  return {
    note: (name, at) => {
      uses.set(name, at)
      unsaved.add(name)
    },
    of: (name) => uses.get(name),
    forget: (name) => {
      uses.delete(name)
      unsaved.delete(name)
    },
    load: async (rows) => {
      for (const { name, at } of await rows.all<{ name: string; at: string }>('SELECT name, at FROM token_uses')) uses.set(name, at)
    },
    save: async (store) => {
      const names = [...unsaved]
      if (names.length === 0) return
      unsaved.clear()
      try {
        await write(store, names)
      } catch (error) {
        for (const name of names) if (uses.has(name)) unsaved.add(name)
        throw error
      }
    },
  }
}

/** The digest identifies the token; its text cannot be recovered from it. */
const TokenCreateDetail = v.strictObject({ token: Token, digest: Digest })
const TokenRevokeDetail = v.looseObject({ name: TokenName, digest: Digest })

/** A record of a new admin token, which is not a named token and not stored in the table. */
const isAdminToken = (detail: object): boolean => 'act' in detail

const created: Projection = async (tx, entry) => {
  if (isAdminToken(entry.detail)) return
  const { token, digest } = v.parse(TokenCreateDetail, entry.detail)
  await tx.run(
    `INSERT INTO tokens (name, digest, record) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, record = excluded.record`,
    [token.name, digest, JSON.stringify(token)],
  )
}

/** Closes the session of a client token. */
const closeClient = async (tx: Transaction, digest: string, at: string): Promise<void> => {
  const row = await tx.get<Pick<TokenRow, 'record'>>('SELECT record FROM tokens WHERE digest = ?', [digest])
  const token = row === undefined ? undefined : v.parse(Token, JSON.parse(row.record))
  if (token?.role !== clientRole) return
  const { agentGroupID, conversationID } = clientPlace(token)
  await tx.run('UPDATE sessions SET closed_at = ? WHERE agent_group_id = ? AND conversation_id = ? AND closed_at IS NULL', [
    at,
    agentGroupID,
    conversationID,
  ])
}

/** A newer token of the same name is not revoked. */
const revoked: Projection = async (tx, entry) => {
  const { name, digest } = v.parse(TokenRevokeDetail, entry.detail)
  await closeClient(tx, digest, entry.time)
  const { changes } = await tx.run('DELETE FROM tokens WHERE name = ? AND digest = ?', [name, digest])
  if (changes > 0) await tx.run('DELETE FROM token_uses WHERE name = ?', [name])
}

export const tokenProjections: Projections = { 'token-create': created, 'token-revoke': revoked }
