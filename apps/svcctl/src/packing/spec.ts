// What is to be packed: `npm:<name>@<exact version>`, and nothing that could be another package tomorrow.
import { PackageName, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'

export interface Wanted {
  readonly name: string
  readonly version: string
  /** Both, as npm writes them. */
  readonly spec: PackageName
}

export const parseSpec = (text: string): Wanted => {
  const parsed = v.safeParse(PackageName, text.startsWith('npm:') ? text.slice(4) : '')
  if (!parsed.success)
    throw new ServiceError('invalid', {
      detail: `expected npm:<name>@<exact version>, got ${JSON.stringify(text)}`,
      hint: 'such as npm:@modelcontextprotocol/server-memory@2026.1.1; `npm view <name> version` tells the latest',
    })
  const spec = parsed.output
  const at = spec.lastIndexOf('@')
  return { name: spec.slice(0, at), version: spec.slice(at + 1), spec }
}
