// svcctl token list
import { Token } from '@gatehouse/contracts'
import * as v from 'valibot'
import { readAllPages } from '../../connection/pages.ts'
import { ListCommand } from '../../unit-command.ts'
import type { Column } from '../../output/table.ts'
import { age, relative } from '../../output/values.ts'

const columns: readonly Column<Token>[] = [
  { name: 'NAME', value: (token) => token.name },
  { name: 'ROLE', value: (token) => token.role },
  {
    name: 'GROUPS',
    value: (token) => token.groups?.join(', ') ?? 'all',
    plain: (token) => token.groups?.join(',') ?? '',
    flexible: true,
    drop: 2,
  },
  {
    name: 'EXPIRES',
    value: ({ expiresAt }) => (expiresAt === undefined ? 'never' : relative(expiresAt)),
    plain: ({ expiresAt }) => expiresAt ?? '',
  },
  {
    name: 'USED',
    value: ({ lastUsedAt }) => (lastUsedAt === undefined ? 'never' : relative(lastUsedAt)),
    plain: ({ lastUsedAt }) => lastUsedAt ?? '',
    drop: 1,
  },
  { name: 'AGE', value: (token) => age(token.createdAt), plain: (token) => token.createdAt },
]

export class TokenList extends ListCommand<Token> {
  static override summary = 'List the named tokens.'
  static override description = 'A secret is shown once, when its token is created.'
  static override result = v.array(Token)
  static override examples = ['svcctl token list', 'svcctl token list --json']

  async run(): Promise<Token[]> {
    const { flags } = await this.parse(TokenList)
    const client = await this.connect(flags)
    return await this.list({
      watch: flags.watch,
      read: () => readAllPages((cursor) => client.tokens.list({ cursor })),
      columns: () => columns,
      empty: 'No named tokens. Create one: svcctl token create alice --role approver --file alice.token',
      ids: ['token', ({ name }) => name],
    })
  }
}
