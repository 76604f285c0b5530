// What a unit lacks of a declaration, in the order in which it can be asked for.
import { AgentGroupID, type CatalogEntry, isSameServer } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Declaration } from './file.ts'
import { planGroup } from './plan-group.ts'
import type { Present } from './read-unit.ts'
import { same } from './same.ts'
import type { Plan, Step } from './step.ts'

/** An empty image is none, and its id is the unit's to find. */
const plain = (entry: CatalogEntry): object =>
  entry.transport === 'stdio' ? { ...entry, image: entry.image === '' ? undefined : entry.image, imageID: undefined } : entry

/** A new entry is asked for in the name of a group that is there. */
const sponsorOf = (declaration: Declaration, present: Present): string | undefined =>
  Object.keys(declaration.groups).find((id) => present.groups.some((group) => group.id === id)) ?? present.groups[0]?.id

const serverSteps = (declaration: Declaration, present: Present): Step[] => {
  const sponsor = sponsorOf(declaration, present)
  return Object.entries(declaration.servers).flatMap(([name, entry]) =>
    present.servers?.some((server) => isSameServer(server.name, name)) === true
      ? []
      : [
          {
            kind: 'mcp_register',
            group: sponsor ?? Object.keys(declaration.groups)[0] ?? '-',
            after: { name, ...entry },
            before: null,
            ...(sponsor === undefined && { waitsFor: 'a group' }),
          } as const,
        ],
  )
}

/** What no change of this kind can bring. */
const otherDifferences = ({ servers, groups }: Declaration, present: Present): string[] => [
  ...Object.entries(servers).flatMap(([name, entry]) => {
    const there = present.servers?.find((server) => isSameServer(server.name, name))
    return there === undefined || same(plain(entry), plain(there.entry))
      ? []
      : [`the tool server ${name} has another entry: svcctl mcp edit ${name}`]
  }),
  ...Object.entries(groups).flatMap(([id, { agent, name }]) => {
    const there = present.groups.find((group) => group.id === id)
    if (there === undefined) return []
    return [
      ...(there.agent === agent ? [] : [`the group ${id} runs ${there.agent} and keeps it: svcctl group remove ${id}, then apply again`]),
      ...(name === undefined || there.name === name ? [] : [`the group ${id} has another name and keeps it: svcctl group show ${id}`]),
    ]
  }),
]

export const planOf = (declaration: Declaration, present: Present): Plan => ({
  steps: [
    ...serverSteps(declaration, present),
    ...Object.entries(declaration.groups).flatMap(([id, group]) => planGroup(v.parse(AgentGroupID, id), group, present)),
  ],
  others: otherDifferences(declaration, present),
})
