// Error codes, refusals to agents, and exit codes of the daemon.
import { codes, exits, toolErrorCodes } from '@gatehouse/contracts'
import { code, page, table } from '../page.ts'

export const errors = (): string =>
  page(
    'Errors',
    'Every error of the admin API is `application/problem+json` (RFC 9457) with one of these codes. svcctl exits with the exit code in the same row.',
    table(
      ['code', 'HTTP', 'exit', 'meaning'],
      Object.entries(codes).map(([name, { status, exit, title }]) => [code(name), status, exit, title]),
    ),
    'A tool call on `tools.sock` returns 200 with a result that the model can read. Its `error.code` is one of:',
    toolErrorCodes.map(code).join(' '),
    'The daemon exits with:',
    table(
      ['exit', 'meaning'],
      Object.entries(exits).map(([name, exit]) => [exit, name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)]),
    ),
  )
