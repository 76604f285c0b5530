// The named tokens as people see them: whose they are and when they were last used, never what they are.
import type { Token } from '@gatehouse/contracts'
import type { Tokens } from './tokens.ts'
import type { Uses } from './uses.ts'

export const listTokens = ({ tokens, uses }: { tokens: Tokens; uses: Uses }): { items: Token[] } => ({
  items: tokens.all().map((token) => {
    const lastUsedAt = uses.of(token.name)
    return lastUsedAt === undefined ? token : { ...token, lastUsedAt }
  }),
})
