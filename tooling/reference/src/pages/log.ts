// The fields of log lines and records.
import { CallRecord, ModelCallRecord } from '@gatehouse/contracts'
import { page, table } from '../page.ts'
import { fieldsOf, schemaOf } from '../schema.ts'

export const log = (): string =>
  page(
    'Log',
    'The unit writes one line per entry to stderr, as JSON with `SERVICE_LOG_FORMAT=json`. For usage, see [observability](../explanation/observability.md#the-log).',
    table(
      ['field', 'meaning'],
      [
        ['`time`', 'RFC 3339, UTC'],
        ['`level`', '`error`, `warn`, `info`, `debug`'],
        ['`process`', 'the process that wrote it'],
        ['`message`', 'a fixed sentence; variable parts are in other fields'],
        ['`requestId`, `traceparent`', 'of the request that caused it, the same in all processes'],
        ['`error`', 'name, message, stack and cause'],
        ['others', 'specific to the message; a field that would overwrite one of the first four is written as `field.NAME`'],
      ],
    ),
    'Three messages are records, written at `info` regardless of the level. They have the same members as lines of `calls.jsonl` and `model-calls.jsonl`.',
    '## `mcp.call` and `mcp.list`',
    fieldsOf(schemaOf(CallRecord)),
    '## `model.call`',
    fieldsOf(schemaOf(ModelCallRecord)),
  )
