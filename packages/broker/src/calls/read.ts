// Records of lists and calls, read back by filter, the newest first.
import {
  type CallRecord,
  CallRecord as CallRecordSchema,
  type brokerControlPlane,
  isSameServer,
  limits,
  type Params,
  type Result,
  ServiceError,
} from '@gatehouse/contracts'
import type { Records } from '@gatehouse/journal'
import * as v from 'valibot'

type Wanted = Params<typeof brokerControlPlane, 'records'>

const plain = ['session', 'agentGroupID', 'tool', 'op', 'status', 'code'] as const

/** In the file of this number, before this offset. */
const encode = ({ file, offset }: { file: number; offset: number }): string => Buffer.from(`${file}.${offset}`).toString('base64url')

const decode = (cursor: string): { file: number; offset: number } => {
  const [, file, offset] = /^([1-9]\d{0,14})\.(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const position = { file: Number(file), offset: Number(offset) }
  if (file !== undefined && offset !== undefined && encode(position) === cursor) return position
  throw new ServiceError('invalid', {
    detail: 'expected a cursor of an earlier answer, got something else',
    errors: [{ pointer: '/cursor', detail: 'expected a cursor of an answer' }],
  })
}

const parse = (value: unknown): CallRecord | undefined => {
  const parsed = v.safeParse(CallRecordSchema, value)
  return parsed.success ? parsed.output : undefined
}

const createFilter = (wanted: Wanted): ((value: unknown) => boolean) => {
  const [since, until] = [wanted.since, wanted.until].map((time) => (time === undefined ? undefined : Date.parse(time)))
  return (value) => {
    const record = parse(value)
    if (record === undefined || plain.some((name) => wanted[name] !== undefined && wanted[name] !== record[name])) return false
    if (wanted.server !== undefined && !isSameServer(wanted.server, record.server)) return false
    // A token of some groups sees what belongs to them.
    if (wanted.groups !== undefined && !wanted.groups.some((group) => group === record.agentGroupID)) return false
    const time = Date.parse(record.time)
    return (since === undefined || time >= since) && (until === undefined || time < until)
  }
}

/** An answer may be empty and still have a cursor: so far was looked. */
export const readCalls = async (records: Pick<Records, 'read'>, wanted: Wanted): Promise<Result<typeof brokerControlPlane, 'records'>> => {
  const { items, next } = await records.read({
    isWanted: createFilter(wanted),
    limit: wanted.limit,
    before: wanted.cursor === undefined ? undefined : decode(wanted.cursor),
    most: { lines: limits.callsLines, bytes: limits.callsBytes },
  })
  return { items: items.flatMap((item) => parse(item) ?? []), ...(next !== undefined && { nextCursor: encode(next) }) }
}
