// Writes the reference of kinds of change from their table.
import { kindNames, kinds, type Kind } from '@gatehouse/contracts'
import { code, listed, page, table } from '../page.ts'
import { fieldsOf, schemaOf } from '../schema.ts'

const sectionOf = (kind: Kind): string => {
  const { schema, summary, aliases } = kinds[kind]
  return [
    `## ${kind}`,
    `${summary.replace(/^./, (first) => first.toUpperCase())}.${aliases.length === 0 ? '' : ` Also written ${listed(aliases)}.`}`,
    fieldsOf(schemaOf(schema)),
  ].join('\n\n')
}

export const kindsPage = (): string =>
  page(
    'Kinds of change',
    'A change is `{ "kind", "agentGroupID", "after", "requestedBy"?, "reason"? }`; this page has what `after` may be. `svcctl change submit KIND` makes it from flags: [cli](cli.md#svcctl-change-submit). What becomes of a change: [deciding](../explanation/deciding.md).',
    table(
      ['kind', 'what it does', 'risk', 'an agent may ask'],
      kindNames.map((kind) => {
        const { summary, risks, requestableByAgents } = kinds[kind]
        return [`[${code(kind)}](#${kind})`, summary, risks, requestableByAgents ? 'yes' : '']
      }),
    ),
    ...kindNames.map(sectionOf),
  )
