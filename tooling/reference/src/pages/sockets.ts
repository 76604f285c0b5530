// The sockets in a sandbox, for authors of agents: every body, from the schemas that the host parses with.
import {
  ChangeAnswer,
  ChangeRequest,
  ChangeWithdrawal,
  Inbox,
  modelErrors,
  OutboxMessage,
  sandboxSockets,
  SessionInfo,
  ToolCall,
  toolErrorCodes,
  ToolList,
  ToolResult,
} from '@gatehouse/contracts'
import type * as v from 'valibot'
import { code, listed, page, table } from '../page.ts'
import { fieldsOf, schemaOf } from '../schema.ts'

const shape = (title: string, schema: v.GenericSchema): string => `### ${title}\n\n${fieldsOf(schemaOf(schema))}`

export const sockets = (): string =>
  page(
    'Sockets of an agent',
    'Plain HTTP/1.1 with JSON on Unix sockets. For their purpose, guarantees and limits, see [what an agent can reach](agent-sockets.md).',
    `## ${sandboxSockets.session}`,
    shape('GET /session', SessionInfo),
    shape('GET /inbox?wait=25', Inbox),
    '### POST /inbox/{id}/ack\n\nNo body; returns 204.',
    shape('POST /outbox', OutboxMessage),
    shape('POST /changes', ChangeRequest),
    'Returns 202 with this body, as do `GET /changes/{id}` and `POST /changes/{id}/withdraw`:',
    fieldsOf(schemaOf(ChangeAnswer)),
    shape('POST /changes/{id}/withdraw', ChangeWithdrawal),
    `## ${sandboxSockets.tools}`,
    shape('GET /tools', ToolList),
    shape('POST /call', ToolCall),
    'Returns 200, also for refusals:',
    fieldsOf(schemaOf(ToolResult)),
    `Codes: ${listed(toolErrorCodes)}.`,
    `## ${sandboxSockets.model}`,
    "The wire formats are the providers' own: [models](models.md). Refusal codes with their HTTP status:",
    table(
      ['code', 'HTTP'],
      Object.entries(modelErrors).map(([name, status]) => [code(name), status]),
    ),
  )
