// A head of a journal that somebody kept elsewhere.
import { readFile } from 'node:fs/promises'
import { Digest, ServiceError } from '@gatehouse/contracts'
import type { Head } from '@gatehouse/journal'
import * as v from 'valibot'

const HeadFile = v.object({ seq: v.pipe(v.number(), v.integer(), v.minValue(0)), hash: Digest })

/** Alone, or as `svcctl audit verify --json` prints it among the rest. */
const Kept = v.union([
  HeadFile,
  v.pipe(
    v.object({ head: HeadFile }),
    v.transform(({ head }) => head),
  ),
])

export const readHead = async (path: string): Promise<Head> => {
  try {
    return v.parse(Kept, JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    throw new ServiceError('invalid', {
      detail: `expected {"seq": …, "hash": …} in ${path}`,
      hint: 'such as svcctl audit verify --json prints',
      cause: error,
    })
  }
}
