// Queries the records of lists and calls, newest first.
import { type brokerControlPlane, CallRecord, isSameServer, type Params, type Result, ServiceError } from '@gatehouse/contracts'
import { readCalls, type Records } from '@gatehouse/journal'

type RecordQuery = Params<typeof brokerControlPlane, 'records'>

const exactFields = ['session', 'agentGroupID', 'tool', 'op', 'status', 'code'] as const

/** A cursor names a file by its number, and an offset in it. */
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

const createFilter = (query: RecordQuery): ((record: CallRecord) => boolean) => {
  const [since, until] = [query.since, query.until].map((time) => (time === undefined ? undefined : Date.parse(time)))
  return (record) => {
    if (exactFields.some((name) => query[name] !== undefined && query[name] !== record[name])) return false
    if (query.server !== undefined && !isSameServer(query.server, record.server)) return false
    // A token that is limited to some groups sees only their records.
    if (query.groups !== undefined && !query.groups.some((group) => group === record.agentGroupID)) return false
    const time = Date.parse(record.time)
    return (since === undefined || time >= since) && (until === undefined || time < until)
  }
}

/** The newest records that match. A page may be empty and still have a cursor: the search goes on from there. */
export const queryRecords = async (
  records: Pick<Records, 'read'>,
  query: RecordQuery,
): Promise<Result<typeof brokerControlPlane, 'records'>> => {
  const { items, next } = await readCalls(records, {
    schema: CallRecord,
    matches: createFilter(query),
    limit: query.limit,
    before: query.cursor === undefined ? undefined : decode(query.cursor),
  })
  return { items, ...(next !== undefined && { nextCursor: encode(next) }) }
}
