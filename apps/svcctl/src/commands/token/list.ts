// svcctl token list
import { Token } from '@gatehouse/contracts'
import * as v from 'valibot'
import { readAllPages } from '../../connection/pages.ts'
import { age } from '../../output/age.ts'
import { type Column, table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

const columns: readonly Column<Token>[] = [
  { name: 'NAME', value: (token) => token.name },
  { name: 'ROLE', value: (token) => token.role },
  { name: 'GROUPS', value: (token) => token.groups?.join(', ') ?? 'all', plain: (token) => token.groups?.join(',') ?? '', flexible: true },
  { name: 'EXPIRES', value: (token) => token.expiresAt ?? 'never', plain: (token) => token.expiresAt ?? '' },
  {
    name: 'USED',
    value: (token) => (token.lastUsedAt === undefined ? 'never' : `${age(token.lastUsedAt)} ago`),
    plain: (token) => token.lastUsedAt ?? '',
  },
  { name: 'AGE', value: (token) => age(token.createdAt), plain: (token) => token.createdAt },
]

export class TokenList extends UnitCommand<Token[]> {
  static override summary = 'List the named tokens.'
  static override description = 'Their secrets are shown once, when they are made.'
  static override result = v.array(Token)
  static override examples = ['svcctl token list', 'svcctl token list --json']

  async run(): Promise<Token[]> {
    const { flags } = await this.parse(TokenList)
    const client = await this.connect(flags)
    const tokens = await readAllPages((cursor) => client.tokens.list({ cursor }))
    this.print(table(columns, tokens, process.stdout))
    if (tokens.length === 0) this.remark('There is no named token. Try: svcctl token create alice --role approver --file alice.token')
    return tokens
  }
}
