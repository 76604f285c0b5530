// A head of a journal that somebody kept elsewhere.
import { readFile } from 'node:fs/promises'
import { Digest, ServiceError } from '@gatehouse/contracts'
import type { Head } from '@gatehouse/journal'
import * as v from 'valibot'

const HeadFile = v.object({ seq: v.pipe(v.number(), v.integer(), v.minValue(0)), hash: Digest })

export const readHead = async (path: string): Promise<Head> => {
  try {
    return v.parse(HeadFile, JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    throw new ServiceError('invalid', {
      detail: `expected {"seq": …, "hash": …} in ${path}`,
      hint: 'such as the head that svcctl audit verify --json prints',
      cause: error,
    })
  }
}
