// What the journal says of tokens, and what each such line does to the database.
import { Digest, Token, TokenName } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Projection, Projections } from '../ledger/projection.ts'

/** The digest tells who presents the token later; its text cannot be had from it. */
const TokenCreateDetail = v.strictObject({ token: Token, digest: Digest })
const TokenRevokeDetail = v.looseObject({ name: TokenName, digest: Digest })

/** The admin token was made anew on the host: it is no named one, and stands in no table. */
const isAdmins = (detail: object): boolean => 'act' in detail

const created: Projection = async (tx, entry) => {
  if (isAdmins(entry.detail)) return
  const { token, digest } = v.parse(TokenCreateDetail, entry.detail)
  await tx.run(
    `INSERT INTO tokens (name, digest, record) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, record = excluded.record`,
    [token.name, digest, JSON.stringify(token)],
  )
}

/** A token that was made under the same name since is another one. */
const revoked: Projection = async (tx, entry) => {
  const { name, digest } = v.parse(TokenRevokeDetail, entry.detail)
  const { changes } = await tx.run('DELETE FROM tokens WHERE name = ? AND digest = ?', [name, digest])
  if (changes > 0) await tx.run('DELETE FROM token_uses WHERE name = ?', [name])
}

export const tokenProjections: Projections = { 'token-create': created, 'token-revoke': revoked }
