// A catalog entry from a file. What the file holds is in no message: it may be a secret.
import { CatalogEntry, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import { readJson } from '../submission/after.ts'

export const readEntry = async (path: string): Promise<CatalogEntry> => {
  const read = v.safeParse(CatalogEntry, await readJson(path))
  if (read.success) return read.output
  const errors = read.issues.map((issue) => ({
    pointer: `/${(issue.path ?? []).map(({ key }) => String(key)).join('/')}`,
    detail: issue.expected === null ? 'expected another value' : `expected ${issue.expected}`,
  }))
  throw new ServiceError('invalid', { detail: `${path}: expected a catalog entry`, errors, hint: 'svcctl mcp show NAME --json prints one' })
}
