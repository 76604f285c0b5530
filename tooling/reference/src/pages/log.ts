// What a line of the log and a record may hold.
import { CallRecord, ModelCallRecord } from '@gatehouse/contracts'
import { page, table } from '../page.ts'
import { fieldsOf, schemaOf } from '../schema.ts'

export const log = (): string =>
  page(
    'Log',
    'One line for each entry, on the stderr of the unit; JSON with `SERVICE_LOG_FORMAT=json`. How to read it: [observability](../explanation/observability.md#the-log).',
    table(
      ['field', 'is'],
      [
        ['`time`', 'RFC 3339, UTC'],
        ['`level`', '`error`, `warn`, `info`, `debug`'],
        ['`process`', 'who wrote it'],
        ['`message`', 'a fixed sentence; what varies stands in fields'],
        ['`requestId`, `traceparent`', 'of the request that caused it, the same in all processes'],
        ['`error`', 'name, message, stack and cause'],
        ['others', 'of the message alone; one that would overwrite one of the first four is written as `field.NAME`'],
      ],
    ),
    'Three messages are records, written at `info` whatever the level. They have the members of the lines of `calls.jsonl` and `model-calls.jsonl`.',
    '## `mcp.call` and `mcp.list`',
    fieldsOf(schemaOf(CallRecord)),
    '## `model.call`',
    fieldsOf(schemaOf(ModelCallRecord)),
  )
