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
    'A change is `{ "kind", "agentGroupID", "after", "requestedBy"?, "reason"? }`; this page lists what `after` may contain. `svcctl change submit KIND` builds it from flags: [cli](cli.md#svcctl-change-submit). For the life of a change, see [deciding](../explanation/deciding.md).',
    table(
      ['kind', 'what it does', 'risk', 'an agent may request'],
      kindNames.map((kind) => {
        const { summary, risks, requestableByAgents } = kinds[kind]
        return [`[${code(kind)}](#${kind})`, summary, risks, requestableByAgents ? 'yes' : '']
      }),
    ),
    ...kindNames.map(sectionOf),
  )
