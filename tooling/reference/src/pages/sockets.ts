// The sockets in a sandbox, for whoever brings an own agent: every body, out of the schemas that the host parses with.
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
    'Plain HTTP/1.1 with JSON on unix sockets. What they are for, what they promise, and their limits: [what an agent can reach](agent-sockets.md).',
    `## ${sandboxSockets.session}`,
    shape('GET /session', SessionInfo),
    shape('GET /inbox?wait=25', Inbox),
    '### POST /inbox/{id}/ack\n\nNo body; answers 204.',
    shape('POST /outbox', OutboxMessage),
    shape('POST /changes', ChangeRequest),
    'Answers 202 with this, which `GET /changes/{id}` and `POST /changes/{id}/withdraw` answer as well:',
    fieldsOf(schemaOf(ChangeAnswer)),
    shape('POST /changes/{id}/withdraw', ChangeWithdrawal),
    `## ${sandboxSockets.tools}`,
    shape('GET /tools', ToolList),
    shape('POST /call', ToolCall),
    'Answers 200, refusals too:',
    fieldsOf(schemaOf(ToolResult)),
    `Codes: ${listed(toolErrorCodes)}.`,
    `## ${sandboxSockets.model}`,
    'The wire formats are those of the providers: [models](models.md). Codes of refusals, with the HTTP status:',
    table(
      ['code', 'HTTP'],
      Object.entries(modelErrors).map(([name, status]) => [code(name), status]),
    ),
  )
